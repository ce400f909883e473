package metrics

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

var update = flag.Bool("update", false, "write the table of docs/operations.md instead of comparing it")

const (
	docFile  = "../../docs/operations.md"
	docBegin = "<!-- metrics:begin -->\n"
	docEnd   = "<!-- metrics:end -->"
)

// sample has counted one of everything.
func sample() *Metrics {
	m := New("1.2.3")
	m.Request("GET", "/health", 200, time.Millisecond, false)
	m.CountSubmitted()
	m.CountStarted(time.Millisecond)
	m.CountEnded(End{Status: "completed", Started: true, Run: time.Second, LLM: time.Second, Redactions: 2,
		Verdicts: map[string]int{"allowed": 3}})
	return m
}

func scrape(t *testing.T, m *Metrics, s State) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(func() State { return s }).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	return w.Body.String()
}

// table is the documentation of our own metrics, as they are scraped.
func table(t *testing.T) string {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(scrape(t, sample(), State{})))
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for name, f := range families {
		if !strings.HasPrefix(name, "airlock_") {
			continue
		}
		var labels []string
		for _, l := range f.GetMetric()[0].GetLabel() {
			labels = append(labels, "`"+l.GetName()+"`")
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |\n", name, strings.ToLower(f.GetType().String()),
			strings.Join(labels, ", "), f.GetHelp()))
	}
	slices.Sort(rows)
	return "| metric | type | labels | |\n|---|---|---|---|\n" + strings.Join(rows, "")
}

// TestDocumentedMetricsAreTheMetrics compares docs/operations.md with what is scraped; -update
// writes it.
func TestDocumentedMetricsAreTheMetrics(t *testing.T) {
	text, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), docBegin)
	found, after, ok2 := strings.Cut(rest, docEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its markers", docFile)
	}
	want := table(t)
	if *update {
		if err := os.WriteFile(docFile, []byte(before+docBegin+want+docEnd+after), 0o644); err != nil { //nolint:gosec // a public document
			t.Fatal(err)
		}
		return
	}
	if found != want {
		t.Errorf("run go test ./app/metrics -run Documented -update\ngot\n%s\nwant\n%s", found, want)
	}
}

func TestWhatIsCountedIsShown(t *testing.T) {
	text := scrape(t, sample(),
		State{Ready: true, Pending: -1, Running: 2, DiskFull: true})
	for _, line := range []string{
		`airlock_http_requests_total{code="200",method="GET",route="/health"} 1`,
		`airlock_executions_submitted_total 1`, `airlock_executions_ended_total{status="completed"} 1`,
		`airlock_redactions_total 2`, `airlock_connections_total{verdict="allowed"} 3`,
		`airlock_execution_run_seconds_count 1`, `airlock_execution_run_seconds_sum 1`,
		`airlock_execution_queue_seconds_count 1`, `airlock_execution_llm_wait_seconds_count 1`,
		`airlock_sandbox_ready 1`, `airlock_executions{status="running"} 2`, `airlock_disk_full 1`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("missing: %s", line)
		}
	}
	if strings.Contains(text, `airlock_executions{status="pending"}`) {
		t.Error("a number that is not known is shown")
	}
	var none *Metrics
	none.CountSubmitted()
	none.CountEnded(End{})
	none.CountStarted(0)
	none.Request("", "", 0, 0, false)
}
