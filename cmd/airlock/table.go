package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/app"
)

// columns writes aligned columns. Cells may hold what agents wrote, so control characters, which a terminal would obey, are shown escaped.
type columns struct{ w *tabwriter.Writer }

func table(out io.Writer, head ...string) columns {
	t := columns{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	t.row(head...)
	return t
}

func (t columns) row(cells ...string) {
	for i, c := range cells {
		if c = printable(c); c == "" {
			c = "-"
		}
		cells[i] = c
	}
	fmt.Fprintln(t.w, strings.Join(cells, "\t"))
}

func (t columns) flush() error { return t.w.Flush() }

// printable escapes what is not printable, or not seen.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return app.VisibleText(b.String())
}

// stamp writes a time, or nothing for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// joined is a, and b after the separator if there is something in it.
func joined(separator, a, b string) string {
	if b == "" {
		return a
	}
	return a + separator + b
}
