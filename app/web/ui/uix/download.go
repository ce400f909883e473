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

// Download streams the records of next, which returns none at the end.
//
// It drops stalled readers and ended sessions. A failure breaks the connection, so that a part
// never passes for the whole.
func (u *UI) Download(c echo.Context, name string, next func() ([]Record, error)) error {
	w, as := c.Response(), c.QueryParam("as")
	table, lines := csv.NewWriter(w), json.NewEncoder(w)
	write := func(r Record) error { return lines.Encode(r.object()) }
	kind := "application/jsonl; charset=utf-8"
	switch as {
	case "csv":
		write = func(r Record) error { return table.Write(r.cells(1)) }
		kind = "text/csv; charset=utf-8; header=present"
	case "jsonl":
	default:
		return app.Invalid("as", "this form of download is not known", "Choose csv or jsonl.")
	}
	records, err := next() // may still be answered with an error page
	if err != nil {
		return err
	}
	w.Header().Set(echo.HeaderContentType, kind)
	w.Header().Set(echo.HeaderContentDisposition, `attachment; filename="`+name+"."+as+`"`)
	w.WriteHeader(http.StatusOK)
	if as == "csv" && len(records) > 0 {
		names := records[0].cells(0)
		names[0] = byteOrderMark + names[0]
		_ = table.Write(names)
	}
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
			if err := write(r); err != nil {
				return nil //nolint:nilerr // the reader is gone
			}
		}
		if table.Flush(); table.Error() != nil || rc.Flush() != nil {
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

// cells returns a record's names (from 0) or values (from 1) for a table.
func (r Record) cells(from int) (cells []string) {
	for i := from; i < len(r); i += 2 {
		cells = append(cells, cell(r[i]))
	}
	return cells
}

// object returns a record's values by name.
func (r Record) object() map[string]any {
	all := map[string]any{}
	for i := 0; i < len(r); i += 2 {
		all[cell(r[i])] = r[i+1]
	}
	return all
}

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

// Stamp returns a download's time, nil if zero.
func Stamp(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339Nano)
}
