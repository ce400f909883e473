package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

type table struct {
	programs []string
	program  int // the one whose figures are added now
	rows     []*figures
}

// figures are one row's, by program.
type figures struct {
	what, unit string
	values     [][]float64
}

func newTable(programs []string) *table { return &table{programs: programs} }

func (t *table) add(what, unit string, values ...float64) {
	i := slices.IndexFunc(t.rows, func(f *figures) bool { return f.what == what })
	if i < 0 {
		i = len(t.rows)
		t.rows = append(t.rows, &figures{what: what, unit: unit, values: make([][]float64, len(t.programs))})
	}
	values = append(t.rows[i].values[t.program], values...)
	t.rows[i].values[t.program] = values
}

// addTimes appends durations, in milliseconds.
func (t *table) addTimes(what string, times ...time.Duration) {
	for _, d := range times {
		t.add(what, "ms", float64(d)/float64(time.Millisecond))
	}
}

// print writes each row's median and 95th percentile by program. Later programs show their distance
// from the first one's median.
func (t *table) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, path := range t.programs {
		fmt.Fprintf(w, "%c: %s\n", 'A'+i, path)
	}
	fmt.Fprint(w, "what\tunit")
	for i := range t.programs {
		fmt.Fprintf(w, "\t%[1]c p50\t%[1]c p95", 'A'+i)
		if i > 0 {
			fmt.Fprintf(w, "\t%c to A", 'A'+i)
		}
	}
	fmt.Fprintln(w)
	for _, row := range t.rows {
		fmt.Fprintf(w, "%s\t%s", row.what, row.unit)
		for i, values := range row.values {
			slices.Sort(values)
			p50 := quantile(values, 0.5)
			fmt.Fprintf(w, "\t%s\t%s", number(p50), number(quantile(values, 0.95)))
			if first := quantile(row.values[0], 0.5); i > 0 && first > 0 {
				fmt.Fprintf(w, "\t%+.1f%%", 100*(p50/first-1))
			}
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	return w.Flush()
}

// quantile returns the value that a share q of sorted values is below; 0 for none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(len(sorted)-1, int(q*float64(len(sorted))))]
}

func number(v float64) string {
	switch {
	case v >= 100:
		return fmt.Sprintf("%.0f", v)
	case v >= 10:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
