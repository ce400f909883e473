package store

import (
	"fmt"
	"strings"
	"testing"
)

func TestBeats(t *testing.T) {
	s := open(t)
	var values []string
	for i := range 300 {
		values = append(values, fmt.Sprintf("('x%d', x'%06x', x'01', '%s', 1, 1, %d, 'completed', %d, 5)", i, i+1,
			[]string{"p", "q", "r"}[i%3], i+1, i+1))
	}
	if err := s.writer.Exec("INSERT INTO executions (handle, lookup, sealed_id, profile_handle, policy, timeout_ms, " +
		"created_at, status, completed_at, run_ms) VALUES " + strings.Join(values, ",")).Error; err != nil {
		t.Fatal(err)
	}
	err := s.Read(t.Context(), func(tx *Tx) error {
		beats, err := tx.Stats.Recent(t.Context(), []string{"p", "q", "none"}, 50)
		if len(beats) != 2 || len(beats["p"]) != 50 || beats["p"][49].Handle != "x297" || beats["p"][0].Handle != "x150" ||
			beats["q"][49].Handle != "x298" {
			t.Errorf("beats %v", beats)
		}
		if none, err := tx.Stats.Recent(t.Context(), nil, 50); len(none) != 0 || err != nil {
			t.Errorf("of nobody: %v %v", none, err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var plan []struct{ Detail string }
	if err := s.reader.Raw("EXPLAIN QUERY PLAN "+selectOutcomes, `["p"]`, 50, `["p"]`).Scan(&plan).Error; err != nil {
		t.Fatal(err)
	}
	details := fmt.Sprint(plan)
	if !strings.Contains(details, "executions_profile ") || strings.Contains(details, "SCAN x") ||
		strings.Contains(details, "SCAN executions") {
		t.Errorf("the query reads more than it has to: %s", details)
	}
}
