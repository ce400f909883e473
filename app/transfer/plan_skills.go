package transfer

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
)

var (
	skillName   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	digestShape = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
)

// checkSkills judges the skills of a file, and notes which files have to follow.
func (in *incoming) checkSkills() error {
	names := map[string]bool{}
	for _, s := range in.skills {
		if names[s.Name] {
			return contradiction("skill "+app.Clip(s.Name, 64), "is there twice", nil)
		}
		names[s.Name] = true
		if err := in.checkSkill(s); err != nil {
			return contradiction("skill "+app.Clip(s.Name, 64), "is not possible", err)
		}
	}
	return nil
}

func (in *incoming) checkSkill(s skillRecord) error {
	if len(s.Name) > 64 || !skillName.MatchString(s.Name) || s.Owner != "" && !handleShape.MatchString(s.Owner) {
		return fmt.Errorf("its name or owner is malformed")
	}
	if err := checkBounds(s); err != nil {
		return err
	}
	last := 0
	for _, v := range s.Versions {
		if v.Number <= last || v.Number > maxCount {
			return fmt.Errorf("its versions are not in order")
		}
		last = v.Number
		if err := checkVersion(v); err != nil {
			return fmt.Errorf("version %d: %w", v.Number, err)
		}
		if !v.Kept {
			continue
		}
		if _, twice := in.awaited[v.Digest]; twice || s.DeletedAt > 0 {
			return fmt.Errorf("version %d is there twice, or was deleted", v.Number)
		}
		in.awaited[v.Digest] = s.Name
	}
	for _, g := range s.Profiles {
		known := slices.ContainsFunc(in.profiles, func(p profileRecord) bool { return p.Handle == g.Profile })
		if err := checkActor(g.AllowedBy); err != nil || !known || g.AllowedAt < 0 || g.AllowedAt > maxMoment {
			return fmt.Errorf("it names a profile that is not in the file, or nobody who allowed it")
		}
	}
	return nil
}

func checkVersion(v skillVersionRecord) error {
	switch skills.State(v.State) {
	case skills.Quarantined, skills.Approved, skills.Revoked:
	default:
		return fmt.Errorf("its state is not known")
	}
	if !digestShape.MatchString(v.Digest) || v.Uploader != "" && !handleShape.MatchString(v.Uploader) ||
		utf8.RuneCountInString(v.Reason) > app.MaxReason {
		return fmt.Errorf("its digest, uploader or reason is malformed")
	}
	for _, by := range []app.Actor{v.UploadedBy, v.ApprovedBy, v.RevokedBy} {
		if err := checkActor(by); err != nil {
			return err
		}
	}
	return checkBounds(v)
}

// localSkill is a skill of this instance, or one that was deleted here.
type localSkill struct {
	skillRecord
	row store.SkillRow
}

// version returns the version here with a digest: that whose files are kept, else a deleted one.
func (l localSkill) version(digest string) (v skillVersionRecord, ok bool) {
	for _, one := range l.Versions {
		if one.Digest == digest && (!ok || one.Kept || skills.State(one.State) == skills.Revoked) {
			v, ok = one, true
		}
		if ok && v.Kept {
			break
		}
	}
	return v, ok
}

func (l localSkill) allows(handle string) bool {
	return slices.ContainsFunc(l.Profiles, func(g skillGrantRecord) bool { return g.Profile == handle })
}

// lookAtSkills reads the skills of this instance.
func (p *planner) lookAtSkills(ctx context.Context) error {
	rows, err := p.tx.Skills.Rows(ctx)
	for _, row := range rows {
		s, _, err := readSkill(ctx, p.tx, row)
		if err != nil {
			return err
		}
		p.skills[row.Name] = localSkill{s, row}
	}
	return err
}

// skill compares a skill of the file with what is here. What an import never does: approve what was
// revoked here, or switch on what is off.
func (p *planner) skill(f skillRecord) Item {
	item := Item{Key: "skill:" + f.Name, Kind: "skill", Name: f.Name, State: StateNew, Facts: f.facts()}
	here, exists := p.skills[f.Name]
	exists = exists && here.DeletedAt == 0
	item.Changes, item.Widens = p.grants(f, here, exists)
	switch {
	case exists:
		said, widens := f.changes(here)
		item.Changes, item.Widens = append(said, item.Changes...), item.Widens || widens
		item.State = StateSame
		if len(item.Changes) > 0 {
			item.State = StateConflict
		}
	case here.row.ID != 0:
		item.Changes = append([]string{"It was here and was deleted. It would come back."}, item.Changes...)
		item.Widens = true
	}
	return item
}

// facts says what a new skill is.
func (s skillRecord) facts() (said []string) {
	for _, v := range s.Versions {
		if v.Kept {
			said = append(said, fmt.Sprintf("Version %d is %s: %s.", v.Number, stateWord(v.State), v.Digest))
		}
	}
	if !s.Enabled {
		said = append(said, "It is switched off.")
	}
	return said
}

func stateWord(state string) string {
	if skills.State(state) == skills.Quarantined {
		return "not reviewed"
	}
	return state
}

// runs reports whether agents can run a version of the skill.
func (s skillRecord) runs() bool {
	return s.Enabled && slices.ContainsFunc(s.Versions, func(v skillVersionRecord) bool {
		return v.Kept && skills.State(v.State) == skills.Approved
	})
}

// grants says which profiles that are here could run the skill then.
func (p *planner) grants(f skillRecord, here localSkill, exists bool) (said []string, widens bool) {
	for _, g := range f.Profiles {
		i := slices.IndexFunc(p.in.profiles, func(r profileRecord) bool { return r.Handle == g.Profile })
		local, ok := p.local(p.in.profiles[i])
		if !ok || local.Handle != g.Profile || exists && here.allows(g.Profile) {
			continue
		}
		said = append(said, fmt.Sprintf("The profile %s of this instance could run it.", app.Clip(local.Description, 200)))
		widens = widens || f.runs() || exists && here.runs()
	}
	return said, widens
}

// changes says what the file's versions would change in the skill here.
func (s skillRecord) changes(here localSkill) (said []string, widens bool) {
	for _, v := range s.Versions {
		if !v.Kept {
			continue
		}
		local, known := here.version(v.Digest)
		now, file := skills.State(local.State), skills.State(v.State)
		switch {
		case !known || !local.Kept:
			said = append(said, fmt.Sprintf("A version would be added, %s: %s.", stateWord(v.State), v.Digest))
			widens = widens || file == skills.Approved
		case now != skills.Revoked && file == skills.Revoked:
			said = append(said, fmt.Sprintf("Version %d here becomes revoked.", local.Number))
		case now == skills.Quarantined && file == skills.Approved:
			said, widens = append(said, fmt.Sprintf("Version %d here becomes approved: %s.", local.Number, v.Digest)), true
		}
	}
	if here.Enabled && !s.Enabled {
		said = append(said, "It is switched off.")
	}
	return said, widens
}
