package uix

import (
	"encoding/csv"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

// Record is a line of a download: name, value, name, value… All lines have the same names in the
// same order. A value is a string, int64, bool or nil.
type Record []any

// recordWriter writes records as CSV or JSON lines.
type recordWriter interface {
	write(Record) error
	flush() error
}

// Download streams the records of next, which returns none at the end.
//
// It drops stalled readers and ended sessions. A failure breaks the connection, so that a part
// never passes for the whole.
func (u *UI) Download(c echo.Context, name string, next func() ([]Record, error)) error {
	w := c.Response()
	var out recordWriter
	switch c.QueryParam("as") {
	case "csv":
		w.Header().Set(echo.HeaderContentType, "text/csv; charset=utf-8; header=present")
		out = &csvWriter{w: csv.NewWriter(w)}
		name += ".csv"
	case "jsonl":
		w.Header().Set(echo.HeaderContentType, "application/jsonl; charset=utf-8")
		out = jsonWriter{json.NewEncoder(w)}
		name += ".jsonl"
	default:
		return app.Invalid("as", "this form of download is not known", "Choose csv or jsonl.")
	}
	records, err := next() // may still be answered with an error page
	if err != nil {
		w.Header().Del(echo.HeaderContentType)
		return err
	}
	w.Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+name+`"`)
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	for ; len(records) > 0 && err == nil; records, err = next() {
		if err = u.Check(c); err != nil {
			break
		}
		if err := rc.SetWriteDeadline(time.Now().Add(httpx.RequestTimeout)); err != nil {
			return err
		}
		for _, r := range records {
			if hidesTokens(c) {
				r = withoutTokens(r)
			}
			if err := out.write(r); err != nil {
				return nil //nolint:nilerr // the reader is gone
			}
		}
		if out.flush() != nil || rc.Flush() != nil {
			return nil
		}
	}
	if err != nil {
		u.Log.Error("a download ended early", "name", name, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// withoutTokens returns a record for viewers, without tokens in agents' words.
func withoutTokens(r Record) Record {
	shown := slices.Clone(r)
	for i, value := range shown {
		if text, ok := value.(string); ok {
			shown[i] = httpx.RedactTokens(text)
		}
	}
	return shown
}

// byteOrderMark tells Excel that a table is UTF-8.
const byteOrderMark = "\ufeff"

type csvWriter struct {
	w      *csv.Writer
	headed bool
}

func (w *csvWriter) write(r Record) error {
	var names, cells []string
	for i := 0; i < len(r); i += 2 {
		names, cells = append(names, cell(r[i])), append(cells, cell(r[i+1]))
	}
	if !w.headed {
		w.headed = true
		names[0] = byteOrderMark + names[0]
		if err := w.w.Write(names); err != nil {
			return err
		}
	}
	return w.w.Write(cells)
}

func (w *csvWriter) flush() error { w.w.Flush(); return w.w.Error() }

// formula matches a formula's beginning: at the start, or where some spreadsheets begin a cell
// (after a semicolon, whatever quotes say).
var formula = regexp.MustCompile("(^|[;\t\r\n])([ \"]*)([=+\\-@|%＝＋－＠])")

// cell returns a table's value. An apostrophe keeps agents' texts from running as formulas.
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

type jsonWriter struct{ e *json.Encoder }

func (w jsonWriter) write(r Record) error { return w.e.Encode(r) }
func (jsonWriter) flush() error           { return nil }

// MarshalJSON writes an object with ordered fields.
func (r Record) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i := 0; i < len(r); i += 2 {
		value, err := json.Marshal(r[i+1])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(strconv.AppendQuote(out, r[i].(string)), ':'), value...) //nolint:forcetypeassert // a name
	}
	return append(out, '}'), nil
}

// Stamp returns a download's time, nil if zero.
func Stamp(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339Nano)
}
