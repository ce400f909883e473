package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/redact/patterns"
)

const (
	ruleFile  = "../../../../docs/redaction.md"
	ruleBegin = "<!-- rules:begin -->\n"
	ruleEnd   = "<!-- rules:end -->"
)

func TestRulesFromConfiguration(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.rules": "rule acme\nkeyword acme_\nregexp acme_[0-9]{6}\nfound acme_123456\n",
		"b.rules": "rule other\nkeyword othr\nregexp othr[0-9]{6}\nfound othr123456\n",
		"c.txt":   "not a rule",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	text := "acme_654321 othr654321 password='Sw0rdfish9'"
	for env, want := range map[string]string{
		"":                            "password",
		"AIRLOCK_REDACT_OFF=password": "",
		"AIRLOCK_REDACT_EXTRA=" + dir: "acme other password",
		"AIRLOCK_REDACT_EXTRA=" + filepath.Join(dir, "a.rules"):               "acme password",
		"AIRLOCK_REDACT_EXTRA=" + dir + "|AIRLOCK_REDACT_OFF=acme, password,": "other",
	} {
		c, err := Load(strings.Split(env, "|"))
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, m := range c.Patterns.Find(text) {
			rules = append(rules, m.Rule)
		}
		if got := strings.Join(rules, " "); got != want {
			t.Errorf("%s: %q, want %q", env, got, want)
		}
	}
}

// TestDocumentedRulesAreTheRules compares docs/redaction.md with the rules.
func TestDocumentedRulesAreTheRules(t *testing.T) {
	text, err := os.ReadFile(ruleFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), ruleBegin)
	table, after, ok2 := strings.Cut(rest, ruleEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its markers", ruleFile)
	}
	want := rulesList()
	if *update {
		//nolint:gosec // a public document
		if err := os.WriteFile(ruleFile, []byte(before+ruleBegin+want+ruleEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("run: go test ./cmd/airlock/internal/config -run Documented -update\n%s", diff)
	}
}

// rulesList is the list of docs/redaction.md.
func rulesList() string {
	var b strings.Builder
	for _, r := range patterns.Rules() {
		fmt.Fprintf(&b, "- `%s`: %s\n", r.Name, r.About)
	}
	return b.String()
}
