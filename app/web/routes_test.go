package web

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/apidocs"
)

var update = flag.Bool("update", false, "write SKILL.md instead of comparing it")

const skillFile = "../../SKILL.md"

func TestSkillFileIsUpToDate(t *testing.T) {
	want, err := apidocs.Static()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(skillFile, []byte(want), 0o644); err != nil { //nolint:gosec // a public document
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(skillFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("SKILL.md is not what app/apidocs makes; run: go test ./app/web -run SkillFile -update\n%s", diff)
	}
}

func TestDocumentedCallsAreTheRoutes(t *testing.T) {
	var documented, served []string
	for _, op := range apidocs.Operations() {
		documented = append(documented, op.Method+" "+op.Path)
	}
	for _, r := range New(Config{}).api.Routes() {
		parts := strings.Split(r.Path, "/")
		for i, p := range parts {
			if name, ok := strings.CutPrefix(p, ":"); ok {
				parts[i] = "{" + name + "}"
			}
		}
		served = append(served, r.Method+" "+strings.Join(parts, "/"))
	}
	slices.Sort(documented)
	slices.Sort(served)
	if diff := cmp.Diff(served, documented); diff != "" {
		t.Errorf("routes (-) and documentation (+) differ:\n%s", diff)
	}
}
