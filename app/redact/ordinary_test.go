package redact

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ordinary are values of all kinds that are in none of the reports as they are. Some are made of
// words that are, or of digits.
var ordinary = []string{
	"kP9s-Zx81_qLmN4vT7w", "8f14e45fceea167a5a36dedd4bea2543", "ghp_x81LmN4vT7wkP9sZxQ2rY6uJ3hB5nC0dE1f",
	"AKIAZX81LMN4VT7WKP9S",
	"sunshine99", "correct horse", "welcome1", "monthlyreport1", "strongest-month", "thermostatwelcome",
	"passwordpassword",
	"20261031", "18304421", "4711471147", "hunter2", "tiger", "zbc4", "0815", "x7Kq", "Sésame-ouvre-toi",
	"-----BEGIN PRIVATE " +
		"KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n-----END PRIVATE KEY-----",
}

// TestOrdinaryReports: nothing is masked where there is nothing to mask.
func TestOrdinaryReports(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/reports/*")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d reports, %v", len(files), err)
	}
	r := of(ordinary...)
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range ordinary {
			if strings.Contains(string(data), value) {
				t.Fatalf("%s has %q in it", name, value)
			}
		}
		got, hits := r.Text(string(data))
		if hits != nil || got.String() != string(data) {
			t.Errorf("%s: %v", name, hits)
		}
		if filepath.Ext(name) == ".json" {
			if _, hits, err := resultOf(r, data); err != nil || hits != nil {
				t.Errorf("%s as JSON: %v, %v", name, hits, err)
			}
		}
	}
}
