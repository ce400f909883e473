package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

func (s *uiSite) ended(a *uiAnswer) app.Execution {
	s.t.Helper()
	a.want(http.StatusSeeOther)
	at, _ := url.Parse(a.header.Get("Location"))
	x, err := s.engine.Reader.ByHandle(s.t.Context(), at.Path[strings.LastIndexByte(at.Path, '/')+1:])
	s.must(err)
	x, err = s.engine.Reader.Await(s.t.Context(), x, 20*time.Second)
	s.must(err)
	return x
}

// TestUIRefusedRunIsMendedFromItsPage: from the exception to the refused host, its permission, the
// re-run and the comparison.
func TestUIRefusedRunIsMendedFromItsPage(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	p := s.locked()
	x := s.runs(p, "reach fx.acme.test:443\nfail ConnectError: no route\\nFor more see https://a.test", app.StatusError)
	page := s.get(paths.ExecutionURL(x.Handle)).want(http.StatusOK).says("#failure .why", "ConnectError: no route").
		says("#failure .obstacle", "fx.acme.test:443 is not on this profile's host list").
		says("#failure .rest", "For more see https://a.test").says("#failure details .trace", "Traceback")
	if got := page.doc.Find("#failure .why").Text(); strings.Contains(got, "Traceback") || strings.Contains(got, "For more") {
		t.Errorf("the headline is %q", got)
	}
	if got := page.doc.Find("#failure .rest").Text(); strings.Contains(got, "host list") {
		t.Errorf("the refusal is said twice: %q", got)
	}
	if page.doc.Find("#failure details[open]").Length() != 0 {
		t.Error("the traceback is not folded")
	}
	if got := page.doc.Find("#failure form button").Text(); got != "Allow fx.acme.test:443" {
		t.Errorf("the button says %q", got)
	}
	review := s.submit(page, "#failure form", "").want(http.StatusOK).says("main", "fx.acme.test")
	now, err := s.access.Profiles.ByHandle(t.Context(), p.Handle)
	s.must(err)
	if len(app.AllowedHosts(now.Hosts)) != 0 {
		t.Fatal("one click granted a host without a review")
	}
	s.submit(review, "main form", "grant").leads(paths.ExecutionURL(x.Handle))
	page = s.get(paths.ExecutionURL(x.Handle)).says(".notice", "Run the script again").says("#failure .obstacle",
		"Allowed since").lacks("#failure form")
	if page.doc.Find(".head form[action$='/rerun'] .button.primary").Length() != 1 {
		t.Error("the next step is not offered at the top")
	}
	again := s.ended(s.submit(page, ".head form[action$='/rerun']", ""))
	s.get(paths.ExecutionURL(again.Handle)).says("#repeat", "Both ended alike, without a result").says("#repeat",
		"policy (+ fx.acme.test:443)")

	other := s.runs(s.locked(), "print x", app.StatusCompleted)
	for _, to := range []string{other.Handle, "//evil.example", "../../settings"} {
		_, err := s.access.Hosts.Request(t.Context(), p.Handle, app.Host{Name: "b.test", Ports: []int{443}}, x.Handle, 1)
		s.must(err)
		review := s.send(paths.At(paths.ProfileHosts, p.Handle), url.Values{
			"host.0": {"b.test:443"}, "allow.0": {"yes"}, "execution": {to}}).want(http.StatusOK)
		s.submit(review, "main form", "grant").leads(accessOf(p))
		now, err := s.access.Profiles.ByHandle(t.Context(), p.Handle)
		s.must(err)
		_, err = s.access.Hosts.SetAsSeen(t.Context(), s.person, p.Handle, now.UpdatedAt, nil, nil)
		s.must(err)
	}
}

// TestUIRerunWithOtherInputs repeats a run, takes other inputs, keeps refused ones and compares
// results.
func TestUIRerunWithOtherInputs(t *testing.T) {
	t.Parallel()
	s, p, _, _ := history(t)
	x := s.submitsInputs(p, "print a\nresult {\"n\":1}", `{"month":"2026-10","n":1.50}`)
	page := s.get(paths.ExecutionURL(x.Handle)).says("#inputs", "2026-10")
	first, second := strings.Index(page.text, `id="inputs"`), strings.Index(page.text, `id="script"`)
	if first < 0 || first > second {
		t.Error("the inputs don't stand before the script")
	}
	if got := page.doc.Find("#rerun-inputs").Text(); !strings.Contains(got, `"month": "2026-10"`) {
		t.Errorf("the form has %q", got)
	}
	same := s.ended(s.submit(page, ".head form[action$='/rerun']", ""))
	if same.Manifest.Inputs != x.Manifest.Inputs || same.Manifest.Inputs == "" {
		t.Error("one click changed the inputs")
	}
	s.get(paths.ExecutionURL(same.Handle)).says("#repeat", "The result is the same").says("#repeat",
		"Same script, inputs and policy")
	untouched := s.ended(s.submit(page, "#rerun form", ""))
	if untouched.Manifest.Inputs != x.Manifest.Inputs {
		t.Error("inputs that nobody touched were changed")
	}
	s.submit(page, "#rerun form", "", "inputs", `{"month": `).want(http.StatusUnprocessableEntity).
		says("#rerun-inputs-wrong", "not valid JSON").says("#rerun-inputs", `{"month":`).
		says(".errors h2", "Nothing was submitted: 1 field needs attention.")
	for _, typed := range []string{"1e-10", "0", "NaN", "1e9", "soon"} {
		s.submit(page, "#rerun form", "", "timeout", typed).want(http.StatusUnprocessableEntity).
			says("#rerun-timeout-wrong", "a number of seconds from 0.001 to 900")
	}
	changed := s.ended(s.submit(page, "#rerun form", "", "inputs", `{"month":"2026-11"}`))
	s.get(paths.ExecutionURL(changed.Handle)).says("#inputs", "2026-11").says("#repeat", "Changed since then: inputs")
	s.get(paths.At(paths.ExecutionCompare, changed.Handle)+"?with="+x.Handle).
		says("#diff-inputs .removed", "2026-10").says("#diff-inputs .added", "2026-11")

	// Masked inputs can't be sent again.
	masked := s.submitsInputs(p, "print a", `{"key":"`+uiSecrets()[0]+`"}`)
	if got := s.get(paths.ExecutionURL(masked.Handle)).says("#inputs", "[REDACTED").doc.Find("#rerun-inputs").Text(); got != "" {
		t.Errorf("the form has the mask in it: %q", got)
	}
	again := s.ended(s.submit(s.get(paths.ExecutionURL(masked.Handle)), "#rerun form", ""))
	if again.Manifest.Inputs != masked.Manifest.Inputs {
		t.Error("an empty field changed the inputs")
	}
}

// TestUIFirstRunHadNoResult: a comparison names the run without a result.
func TestUIFirstRunHadNoResult(t *testing.T) {
	t.Parallel()
	s := newUISite(t)
	s.login()
	x := s.runs(s.locked(), "print once", app.StatusCompleted)
	again := s.ended(s.submit(s.get(paths.ExecutionURL(x.Handle)), ".head form[action$='/rerun']", ""))
	s.get(paths.ExecutionURL(again.Handle)).says("#repeat", "Both ended alike, without a result").says("#repeat",
		"execution "+format.ShortHandle(x.Handle))
}
