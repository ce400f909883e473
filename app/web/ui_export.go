package web

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/web/httpx"
)

// record is one line of a download: the same fields in every line, in order.
type record []field

type field struct {
	name  string
	value any // string, int64, bool or nil
}

// sheet writes records in one of the two forms of downloads.
type sheet interface {
	write(record) error
	flush() error
}

// download answers with all records that next yields, as they come: nothing is gathered, so there is no bound but the filter. next returns no records at the end.
// A reader that stalls is dropped, and so is one whose session is over. What fails half-way ends the connection, so that a part is never taken for the whole.
func (s *Server) download(c echo.Context, name string, next func() ([]record, error)) error {
	w := c.Response()
	var out sheet
	switch c.QueryParam("as") {
	case "csv":
		w.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8; header=present")
		out = &csvSheet{w: csv.NewWriter(w)}
		name += ".csv"
	case "jsonl":
		w.Header().Set(echo.HeaderContentType, "application/jsonl; charset=utf-8")
		out = jsonSheet{json.NewEncoder(w)}
		name += ".jsonl"
	default:
		return app.Invalid("as", "this form of download is not known", "Choose csv or jsonl.")
	}
	records, err := next() // the first ones may still be answered with an error page
	if err != nil {
		w.Header().Del(echo.HeaderContentType)
		return err
	}
	w.Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	for ; len(records) > 0 && err == nil; records, err = next() {
		if err = s.stillIn(c); err != nil {
			break
		}
		if err := rc.SetWriteDeadline(time.Now().Add(httpx.RequestTimeout)); err != nil {
			return err
		}
		for _, r := range records {
			if err := out.write(r); err != nil {
				return nil //nolint:nilerr // the reader is gone
			}
		}
		if out.flush() != nil || rc.Flush() != nil {
			return nil
		}
	}
	if err != nil {
		s.cfg.Log.Error("a download ended early", "name", name, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

type csvSheet struct {
	w      *csv.Writer
	begun  bool
	values []string
}

func (s *csvSheet) write(r record) error {
	if !s.begun {
		s.begun = true
		names := make([]string, len(r))
		for i, f := range r {
			names[i] = f.name
		}
		if err := s.w.Write(names); err != nil {
			return err
		}
	}
	s.values = s.values[:0]
	for _, f := range r {
		s.values = append(s.values, cell(f.value))
	}
	return s.w.Write(s.values)
}

func (s *csvSheet) flush() error { s.w.Flush(); return s.w.Error() }

// formula is where a text begins like a formula: at its start, and after what some spreadsheets take for the end of a cell (those of many countries a semicolon, whatever quotes say).
var formula = regexp.MustCompile("(^|[;\t\r\n])([ \"]*)([=+\\-@|%＝＋－＠])")

// cell is a value in a table. Spreadsheets take text that begins like a formula for one, and an agent can choose texts: an apostrophe keeps it text.
func cell(value any) string {
	switch v := value.(type) {
	case string:
		if v != "" && strings.ContainsRune("\t\r\n", rune(v[0])) {
			v = "'" + v
		}
		return formula.ReplaceAllString(v, "$1$2'$3")
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

type jsonSheet struct{ e *json.Encoder }

func (s jsonSheet) write(r record) error { return s.e.Encode(r) }
func (jsonSheet) flush() error           { return nil }

// MarshalJSON writes an object with the fields in their order.
func (r record) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range r {
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(strconv.AppendQuote(out, f.name), ':'), value...)
	}
	return append(out, '}'), nil
}

// stamp is a time in a download, nil if there is none.
func stamp(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339Nano)
}

func millis(d time.Duration) any { return d.Milliseconds() }

// exportExecutions downloads a list of executions. Ids are left out: they are tokens.
func (s *Server) exportExecutions(c echo.Context) error {
	_, f, found, err := s.executionFilter(c)
	if err != nil {
		return err
	}
	for name, text := range found {
		return app.Invalid(name, text, "Go back and correct it.")
	}
	f.Limit = 100
	over := false
	return s.download(c, "airlock-executions", func() ([]record, error) {
		for !over {
			page, err := s.cfg.Engine.Search(c.Request().Context(), f)
			if err != nil {
				return nil, err
			}
			f.Before, over = page.Next, page.Next == ""
			if len(page.Executions) == 0 {
				continue // so much was looked through and nothing matched
			}
			records := make([]record, len(page.Executions))
			for i, x := range page.Executions {
				records[i] = executionRecord(x)
			}
			return records, nil
		}
		return nil, nil
	})
}

func executionRecord(x app.Execution) record {
	return record{
		{"execution", x.Handle}, {"profile", x.ProfileHandle}, {"profile_description", x.Profile}, {"status", string(x.Status)},
		{"created_at", stamp(x.CreatedAt)}, {"started_at", stamp(x.StartedAt)}, {"first_output_at", stamp(x.FirstOutputAt)}, {"completed_at", stamp(x.CompletedAt)},
		{"run_ms", millis(x.RunTime)}, {"llm_ms", millis(x.LLMTime)}, {"cpu_ms", millis(x.CPUTime)}, {"timeout_ms", millis(x.Timeout)}, {"peak_memory_bytes", x.PeakMemory},
		{"backend", x.Backend}, {"isolation", x.Isolation}, {"policy_version", int64(x.Policy)}, {"redactions", int64(x.Redactions)}, {"truncated", x.Truncated},
		{"injected", strings.Join(x.Injected, " ")}, {"error", x.Error}, {"error_line", int64(x.ErrorLine)}, {"repeats", x.RerunOf},
		{"script_sha256", x.Manifest.Script}, {"inputs_sha256", x.Manifest.Inputs}, {"llm_sha256", x.Manifest.LLM}, {"policy_sha256", x.Manifest.Policy}, {"result_sha256", x.Manifest.ResultHash},
	}
}

// exportAudit downloads the audit log, or one that came with an import. With the hashes in it, the chain can be verified without Airlock.
func (s *Server) exportAudit(c echo.Context) error {
	if of := c.QueryParam("of"); of != "" {
		return s.exportArchived(c, of)
	}
	_, f, found, err := auditFilter(c)
	if err != nil {
		return err
	}
	for name, text := range found {
		return app.Invalid(name, text, "Go back and correct it.")
	}
	f.Limit = 1000
	return s.download(c, "airlock-audit", func() ([]record, error) { return s.auditRecords(c, &f) })
}

func (s *Server) auditRecords(c echo.Context, f *access.AuditFilter) ([]record, error) {
	if f.Before == 1 {
		return nil, nil
	}
	events, err := s.cfg.Access.AuditLog(c.Request().Context(), *f)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	f.Before = events[len(events)-1].Seq
	return eventRecords(events), nil
}

func eventRecords(events []app.Event) []record {
	records := make([]record, len(events))
	for i, e := range events {
		records[i] = record{
			{"seq", e.Seq}, {"at", stamp(e.At)}, {"actor_kind", string(e.Actor.Kind)}, {"actor_name", e.Actor.Name}, {"actor_address", e.Actor.Address},
			{"action", e.Action}, {"subject", e.Subject}, {"detail", e.Detail}, {"previous", e.Prev}, {"hash", e.Hash},
		}
	}
	return records
}

// exportArchived downloads an audit log that came with an import, from its beginning.
func (s *Server) exportArchived(c echo.Context, of string) error {
	after := int64(0)
	return s.download(c, "airlock-audit-archived", func() ([]record, error) {
		events, err := s.cfg.Access.ArchivedEvents(c.Request().Context(), of, after)
		if err != nil || len(events) == 0 {
			return nil, err
		}
		after = events[len(events)-1].Seq
		return eventRecords(events), nil
	})
}
