package patterns

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/reports.golden instead of comparing it")

const golden = "testdata/reports.golden"

// TestReports lists what the rules find in ordinary reports, in which nothing is secret. Each line
// of the golden file is a false positive that was accepted; a change that brings another shows up
// here.
func TestReports(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/reports/*")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d reports, %v", len(files), err)
	}
	s := all(t, Config{})
	var b strings.Builder
	b.WriteString("# What the rules find in testdata/reports, where nothing is secret. Written by go test -run Reports " +
		"-update.\n")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range s.Find(string(text)) {
			line := 1 + strings.Count(string(text[:m.Start]), "\n")
			fmt.Fprintf(&b, "%s:%d %s %s\n", filepath.Base(file), line, m.Rule, text[m.Start:m.End])
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil { //nolint:gosec // public test data
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("look at each new line; if it must be so, run: go test ./app/redact/patterns -run Reports -update\n%s",
			diff)
	}
}
