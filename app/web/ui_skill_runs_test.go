package web

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/paths"
)

// approveSkill has a profile's agent send a skill, and a person approve its newest version.
func (s *uiSite) approveSkill(p app.Profile, name string, files map[string]string) {
	s.t.Helper()
	s.sendSkill(p, files)
	skill, err := s.engine.Skills.Get(s.t.Context(), name)
	s.must(err)
	v := skill.Versions[0]
	_, err = s.engine.Skills.Approve(s.t.Context(), s.person, name, v.Number, v.Digest)
	s.must(err)
}

// ends waits for the end of an execution.
func (s *uiSite) ends(x app.Execution, err error) app.Execution {
	s.t.Helper()
	s.must(err)
	x, err = s.engine.Reader.Await(s.t.Context(), x, time.Minute)
	s.must(err)
	if !x.Status.Terminal() {
		s.t.Fatalf("%s after a minute", x.Status)
	}
	return x
}

// TestExecutionsTellTheirSkill: lists, search, the export, Compare and the API name a run's skill and
// version and find runs by it; a re-run keeps the version though there is a newer one.
func TestExecutionsTellTheirSkill(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.keyed()
	run := func(ref string) app.Execution {
		t.Helper()
		x, _, err := s.engine.Submitter.Submit(t.Context(), executions.Submission{ProfileID: p.ID, Skill: ref,
			Inputs: json.RawMessage(`{"month":"1"}`), By: s.person})
		return s.ends(x, err)
	}
	s.approveSkill(p, "totals", map[string]string{"SKILL.md": totals, "main.py": "set_result(1)"})
	first := run("totals")
	s.approveSkill(p, "totals", map[string]string{"SKILL.md": totals, "main.py": "set_result(2)"})
	second := run("totals")
	again, err := s.engine.Submitter.Rerun(t.Context(), first.Handle, executions.Again{By: s.person})
	again = s.ends(again, err)
	s.runs(p, "print launch", app.StatusCompleted)
	if first.Skill != "totals@1" || second.Skill != "totals@2" || again.Skill != "totals@1" ||
		again.SkillDigest != first.SkillDigest {
		t.Fatalf("ran %s, then %s, and again %s", first.Skill, second.Skill, again.Skill)
	}

	for query, want := range map[string]string{"": "4 executions", "skill=totals": "3 executions",
		"skill=totals@1": "2 executions", "text=totals": "3 executions", "text=launch": "1 execution"} {
		page := s.get(paths.Executions+"?"+query).says(".result-count", want)
		if strings.HasPrefix(query, "skill") && page.doc.Find("details.more-filters[open] #skill").
			AttrOr("value", "") != strings.TrimPrefix(query, "skill=") {
			t.Errorf("%s: the form doesn't show what it looks for", query)
		}
	}
	s.get(paths.Executions).says("#x-"+second.Handle+" .message", "totals@2")
	s.get(paths.Executions+"?skill=total").says(".empty", "No execution matches")
	csv := s.get(paths.ExecutionsExport + "?as=csv&skill=" + url.QueryEscape("totals@2")).want(http.StatusOK).text
	if strings.Count(csv, "\n") != 2 || !strings.Contains(csv, "totals@2") || !strings.Contains(csv, second.SkillDigest) {
		t.Errorf("the export has %s", csv)
	}
	compared := s.get(paths.At(paths.ExecutionCompare, second.Handle)+"?with="+first.Handle).
		says(".compare", "totals@1").says(".compare", "totals@2").says("form", "totals@1: ")
	if row := compared.doc.Find("tr.differs th"); !strings.Contains(row.Text(), "Skill") {
		t.Errorf("what differs: %s", row.Text())
	}

	get := func(query string) (answer struct {
		Executions []struct{ Skill string }
		Next       string
	}) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.web.URL+"/executions?"+query, http.NoBody)
		s.must(err)
		r.Header.Set("Authorization", "Bearer "+p.ID)
		s.must(json.Unmarshal([]byte(s.do(r).want(http.StatusOK).text), &answer))
		return answer
	}
	if got := get("skill=totals@2"); len(got.Executions) != 1 || got.Executions[0].Skill != "totals@2" {
		t.Errorf("%+v", got)
	}
	if got := get("skill=totals&limit=1"); len(got.Executions) != 1 || !strings.Contains(got.Next, "skill=totals") {
		t.Errorf("%+v", got)
	}
}
