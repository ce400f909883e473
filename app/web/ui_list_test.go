package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/views/paths"
)

// TestUIListSaysWhatRan: a row has the label, and the result or the first statement; of an error its
// exception, however many lines its message has; and the place at which a word was found.
func TestUIListSaysWhatRan(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	row := func(query string, x app.Execution) string {
		page := s.get(paths.Executions + "?" + query).want(http.StatusOK)
		return strings.Join(strings.Fields(page.doc.Find("#x-"+x.Handle+" .message").Text()), " ")
	}
	labelled := s.reaches(app.StatusCompleted, executions.Submission{ProfileID: p.ID, Label: "Month end",
		Script: "import os\nresult {\"total\": 12.50}\nprint the quokka\u00a0sleeps"})
	plain := s.runs(p, "# of the day\nimport httpx\nprint rates", app.StatusCompleted)
	failed := s.runs(p, `fail HTTPStatusError: Client error '401 Unauthorized'\nFor more information check: https://a.test/401`,
		app.StatusError)
	for x, want := range map[*app.Execution]string{
		&labelled: `Month end {"total":12.50}`, &plain: "print rates", &failed: "HTTPStatusError: Client error '401 Unauthorized'",
	} {
		if got := row("", *x); got != want {
			t.Errorf("a row says %q, want %q", got, want)
		}
	}
	s.get(paths.Executions).says(".result-count", "3 executions")
	found := s.get(paths.Executions+"?text=QUOKKA").want(http.StatusOK).says(".result-count", "1 execution")
	if got := found.doc.Find(".message mark").Text(); got != "quokka" {
		t.Errorf("marked is %q", got)
	}
	if got := row("text=quokka", labelled); !strings.Contains(got, "print the quokka sleeps") {
		t.Errorf("the match is shown as %q", got)
	}
	byLabel := s.get(paths.Executions+"?label="+url.QueryEscape("Month end")).says(".result-count", "1 execution")
	if byLabel.doc.Find("#x-"+labelled.Handle).Length() != 1 || byLabel.doc.Find("#label").AttrOr("value", "") != "Month end" ||
		byLabel.doc.Find("details.more-filters[open]").Length() != 1 {
		t.Error("the filter of labels doesn't find, or doesn't show what it looks for")
	}
	if csv := s.get(paths.ExecutionsExport + "?as=csv&label=Month+end").want(http.StatusOK).text; strings.Count(csv, "\n") != 2 ||
		!strings.Contains(csv, "Month end") {
		t.Errorf("the export has %s", csv)
	}
	s.get(paths.Executions+"?label=nothing").says(".empty", "No execution matches")
	s.get(paths.Root).says("#recent .message", "print rates")
	s.get(paths.ProfileURL(p.Handle)).says(".runs .message", "print rates")
}
