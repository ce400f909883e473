package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/app"
)

// Columns writes aligned columns and escapes control characters, since agents may write cells.
type Columns struct{ w *tabwriter.Writer }

// Table begins a table with its head.
func Table(out io.Writer, head ...string) Columns {
	t := Columns{tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)}
	t.Row(head...)
	return t
}

// Row adds a row. An empty cell is shown as a dash.
func (t Columns) Row(cells ...string) {
	for i, c := range cells {
		if c = Printable(c); c == "" {
			c = "-"
		}
		cells[i] = c
	}
	fmt.Fprintln(t.w, strings.Join(cells, "\t"))
}

// Flush writes the table.
func (t Columns) Flush() error { return t.w.Flush() }

// PrintList prints a name and below it one line per text.
func PrintList(w io.Writer, name string, texts []string) {
	fmt.Fprintln(w, name+":")
	for _, text := range texts {
		fmt.Fprintln(w, "  "+Printable(text))
	}
}

// Printable escapes unprintable and invisible characters.
func Printable(s string) string {
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

// PrintCode prints a program with hidden and control characters as [U+000D]. Escapes in the program
// stay distinct.
func PrintCode(w io.Writer, text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		var b strings.Builder
		for _, r := range line {
			if r == '\t' || strconv.IsPrint(r) {
				b.WriteRune(r)
			} else {
				fmt.Fprintf(&b, "[U+%04X]", r)
			}
		}
		fmt.Fprintln(w, app.VisibleText(b.String()))
	}
}

// Stamp writes a time, or nothing for none.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// Join returns a, and b after the separator unless it is empty.
func Join(separator, a, b string) string {
	if b == "" {
		return a
	}
	return a + separator + b
}
