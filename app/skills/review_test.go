package skills

import (
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// audited returns the actions and details of the audit log about skills, oldest first.
func (d *desk) audited() (lines []string) {
	d.t.Helper()
	d.no(d.store.Read(d.t.Context(), func(tx *store.Tx) error {
		return tx.Events.Each(d.t.Context(), func(e store.EventRow) error {
			lines = append(lines, e.Action+" "+e.Subject+": "+e.Detail)
			return nil
		})
	}))
	return lines
}

func TestAnApprovalIsOfOneDigest(t *testing.T) {
	d := newDesk(t, 0)
	d.upload(ours, "totals", "", "one")
	other := d.upload(ours, "totals", "", "two")
	_, err := d.Approve(t.Context(), person, "totals", 1, other.Digest)
	d.wantCode(err, app.CodeConflict)
	if _, err := d.Resolve(t.Context(), "ours", "totals"); err == nil {
		t.Error("it was approved")
	}
}

func TestAgentsDecideNothing(t *testing.T) {
	d := newDesk(t, 0)
	v := d.upload(ours, "totals", "", "one")
	_, err := d.Approve(t.Context(), ours, "totals", 1, v.Digest)
	d.wantCode(err, app.CodeForbidden)
	_, err = d.Revoke(t.Context(), ours, "totals", 1, "")
	d.wantCode(err, app.CodeForbidden)
	d.wantCode(d.SetEnabled(t.Context(), ours, "totals", false), app.CodeForbidden)
	d.wantCode(d.Delete(t.Context(), ours, "totals"), app.CodeForbidden)
	d.wantCode(d.Allow(t.Context(), ours, "totals", "theirs"), app.CodeForbidden)
	d.wantCode(d.Disallow(t.Context(), ours, "totals", "ours"), app.CodeForbidden)
	if lines := d.audited(); len(lines) != 1 {
		t.Errorf("got audit events %q", lines)
	}
}

func TestARevokedVersionDoesNotRunAndTheOneBeforeDoes(t *testing.T) {
	d := newDesk(t, 0)
	for number, text := range []string{"one", "two"} {
		v := d.upload(ours, "totals", "", text)
		_, err := d.Approve(t.Context(), person, "totals", number+1, v.Digest)
		d.no(err)
	}
	d.now = d.now.Add(time.Minute)
	v, err := d.Revoke(t.Context(), person, "totals", 2, "It sends mail.")
	d.no(err)
	if v.State != Revoked || v.Approved.IsZero() || !v.Revoked.Equal(d.now) || v.RevokedBy != person {
		t.Errorf("got %+v", v)
	}
	if v, err := d.Resolve(t.Context(), "ours", "totals"); err != nil || v.Number != 1 {
		t.Errorf("got version %d, %v", v.Number, err)
	}
	_, err = d.Resolve(t.Context(), "ours", "totals@2")
	d.wantCode(err, app.CodeSkillRevoked)
	if err == nil || !strings.Contains(err.Error(), "It sends mail.") {
		t.Errorf("the agent reads %v, without the reason", err)
	}
	if again := d.upload(ours, "totals", "", "two"); again.State != Revoked {
		t.Errorf("the same files again are %s", again.State)
	}
	_, err = d.Approve(t.Context(), person, "totals", 2, v.Digest)
	d.no(err)
	if v, err := d.Resolve(t.Context(), "ours", "totals"); err != nil || v.Number != 2 {
		t.Errorf("after a person approved it again: version %d, %v", v.Number, err)
	}
}

func TestARejectedVersionWasNeverApproved(t *testing.T) {
	d := newDesk(t, 0)
	d.upload(ours, "totals", "", "one")
	_, err := d.Revoke(t.Context(), person, "totals", 1, "a \x1b[31m sequence")
	d.wantCode(err, app.CodeInvalidField)
	v, err := d.Revoke(t.Context(), person, "totals", 1, "")
	d.no(err)
	if v.State != Revoked || !v.Approved.IsZero() {
		t.Errorf("got %+v", v)
	}
	_, err = d.Resolve(t.Context(), "ours", "totals")
	d.wantCode(err, app.CodeSkillRevoked)
}

func TestASkillSwitchedOffDoesNotRun(t *testing.T) {
	d := newDesk(t, 0)
	v := d.upload(ours, "totals", "", "one")
	_, err := d.Approve(t.Context(), person, "totals", 1, v.Digest)
	d.no(err)
	d.no(d.SetEnabled(t.Context(), person, "totals", false))
	for _, ref := range []string{"totals", "totals@1", v.Digest} {
		_, err := d.Resolve(t.Context(), "ours", ref)
		d.wantCode(err, app.CodeSkillDisabled)
	}
	d.no(d.SetEnabled(t.Context(), person, "totals", true))
	_, err = d.Resolve(t.Context(), "ours", "totals")
	d.no(err)
}

func TestPeopleAllowOtherProfiles(t *testing.T) {
	d := newDesk(t, 0)
	v := d.upload(ours, "totals", "", "one")
	_, err := d.Approve(t.Context(), person, "totals", 1, v.Digest)
	d.no(err)
	d.no(d.Allow(t.Context(), person, "totals", "theirs"))
	d.no(d.Allow(t.Context(), person, "totals", "theirs"))
	_, err = d.Resolve(t.Context(), "theirs", "totals")
	d.no(err)
	d.no(d.Disallow(t.Context(), person, "totals", "ours"))
	_, err = d.Resolve(t.Context(), "ours", "totals")
	d.wantCode(err, app.CodeSkillNotFound)
	d.wantCode(d.Allow(t.Context(), person, "totals", "nobody"), app.CodeNotFound)
	d.wantCode(d.Allow(t.Context(), person, "other", "ours"), app.CodeNotFound)
}

func TestADeletedSkillLeavesItsRecordAndFreesItsName(t *testing.T) {
	d := newDesk(t, 0)
	v := d.upload(ours, "totals", "", "one")
	_, err := d.Approve(t.Context(), person, "totals", 1, v.Digest)
	d.no(err)
	d.no(d.Delete(t.Context(), person, "totals"))
	for _, ref := range []string{"totals", "totals@1", v.Digest} {
		_, err = d.Resolve(t.Context(), "ours", ref)
		d.wantCode(err, app.CodeSkillNotFound)
	}
	_, err = d.Open(t.Context(), v.Digest)
	d.wantCode(err, app.CodeSkillNotFound)
	d.wantCode(d.Delete(t.Context(), person, "totals"), app.CodeNotFound)
	d.now = d.now.Add(2 * time.Hour)
	d.no(d.files.Collect(t.Context()))
	if left := d.blobs(); len(left) != 0 {
		t.Errorf("left %v", left)
	}
	d.no(d.store.Read(t.Context(), func(tx *store.Tx) error {
		skill, err := tx.Skills.ByName(t.Context(), "totals")
		if err != nil {
			return err
		}
		list, err := tx.Skills.Versions(t.Context(), skill.Row)
		if len(list) != 1 || list[0].ApprovedBy != person || list[0].Digest != v.Digest {
			t.Errorf("the record is %+v", list)
		}
		return err
	}))
	anew := d.upload(theirs, "totals", "", "one")
	if anew.Number != 2 || anew.State != Quarantined {
		t.Errorf("the same files under the free name are %+v", anew)
	}
	_, err = d.Resolve(t.Context(), "ours", "totals")
	d.wantCode(err, app.CodeSkillNotFound)
	want := []string{"skill.upload totals@1: ", "skill.approve totals@1: Approved " + v.Digest +
		". It asks for no keys and no hosts.", "skill.delete totals: ", "skill.upload totals@2: "}
	lines := d.audited()
	if len(lines) != len(want) {
		t.Fatalf("got audit events %q", lines)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, want[i]) {
			t.Errorf("got %q, want %q", line, want[i])
		}
	}
}

func TestSkillsSurviveCollection(t *testing.T) {
	d := newDesk(t, 0)
	v := d.upload(ours, "totals", "", "one")
	d.now = d.now.Add(100 * 24 * time.Hour)
	d.no(d.files.Collect(t.Context()))
	_, err := d.Open(t.Context(), v.Digest)
	d.no(err)
}
