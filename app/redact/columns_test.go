package redact

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestOrdinaryColumns: what reports hold most are numbers, thousands of them. Nearly each may be a
// character, and a column is one number without the ends of its lines; such lists took more work
// than there was a budget for, and were masked whole.
func TestOrdinaryColumns(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	id := 0
	red := of(ordinary...)
	for _, tt := range []struct {
		name string
		n    int
		next func() any
	}{
		{"prices", 5_000, func() any { return float64(r.IntN(20_000)) / 100 }},
		{"ages", 21_000, func() any { return 18 + r.IntN(70) }},
		{"pixels", 20_000, func() any { return r.IntN(256) }},
		{"years", 12_000, func() any { return 1950 + r.IntN(77) }},
		{"floats", 3_000, func() any { return r.NormFloat64() }},
		{"flags", 45_000, func() any { return r.IntN(2) }},
		{"numbers in a row", 3_000, func() any { id++; return id }},
		{"times", 4_500, func() any { return 1_795_000_000 + r.IntN(1_000_000) }},
		{"rows", 12_000, func() any { id++; return map[string]int{"id": id, "age": 18 + r.IntN(70)} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var values []any
			var lines strings.Builder
			for range tt.n {
				v := tt.next()
				values = append(values, v)
				fmt.Fprintln(&lines, v)
			}
			data, err := json.Marshal(values)
			if err != nil {
				t.Fatal(err)
			}
			if got, hits := red.Text(lines.String()); hits != nil || got.String() != lines.String() {
				t.Errorf("printed: %d bytes, %v", lines.Len(), hits)
			}
			if _, hits, err := resultOf(red, data); err != nil || hits != nil {
				t.Errorf("as a result: %d bytes, %v, %v", len(data), hits, err)
			}
		})
	}
}

// TestLongColumnIsRead: a column of digits may be one number, however long, that is a value among
// other bytes.
func TestLongColumnIsRead(t *testing.T) {
	t.Parallel()
	const secret = "kP9s-Zx81_qLmN4vT7w"
	around := make([]byte, 20_000)
	for i := range around {
		around[i] = byte(129 + i%50)
	}
	digits := new(big.Int).SetBytes([]byte(string(around) + secret + string(around))).String()
	column := wrap(digits, 4, "\n")
	got, hits := of(secret).Text(column)
	if hits.Total() == 0 || strings.Contains(got.String(), column[len(column)/2:len(column)/2+100]) {
		t.Errorf("%d digits, %v", len(digits), hits)
	}
}
