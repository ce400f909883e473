package store

import (
	"strings"
	"testing"
)

// An export of a long history must not sort it: it would be held in memory.
func TestExportSortsNothing(t *testing.T) {
	s := open(t)
	for _, profiles := range [][]string{nil, {"a"}} {
		where, args := whereEnded(profiles)
		rows, err := s.read(t.Context()).Raw("EXPLAIN QUERY PLAN "+endedInOrder(where), args...).Rows()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(detail, "TEMP B-TREE") {
				t.Error(detail)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
}
