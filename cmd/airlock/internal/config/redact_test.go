package config

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
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

// TestDocumentedRulesAreTheTable compares docs/redaction.md with the rules.
func TestDocumentedRulesAreTheTable(t *testing.T) {
	text, err := os.ReadFile(ruleFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), ruleBegin)
	table, after, ok2 := strings.Cut(rest, ruleEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its markers", ruleFile)
	}
	want := rulesTable()
	if *update {
		if err := os.WriteFile(ruleFile, []byte(before+ruleBegin+want+ruleEnd+after), 0o644); err != nil { //nolint:gosec // a public document
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("run: go test ./cmd/airlock/internal/config -run Documented -update\n%s", diff)
	}
}

// rulesTable is the table of docs/redaction.md. Examples are shown as they are after masking.
func rulesTable() string {
	var b strings.Builder
	b.WriteString("| Rule | What it finds | For example |\n|---|---|---|\n")
	for _, r := range patterns.Rules() {
		h := fnv.New64a()
		h.Write([]byte(r.Name))
		example, secret := patterns.Example(r.Found[0], rand.New(rand.NewPCG(h.Sum64(), 0)).IntN)
		example = strings.Join(strings.Fields(strings.Replace(example, secret, "[REDACTED]", 1)), " ")
		fmt.Fprintf(&b, "| `%s` | %s | `%s` |\n", r.Name, r.About, strings.ReplaceAll(example, "|", "\\|"))
	}
	return b.String()
}
