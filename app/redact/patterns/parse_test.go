package patterns

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app/redact"
)

const acme = `# Acme's own
rule acme-key
about keys of the Acme API
keyword acme_
keyword ACME-
regexp (?:acme_|ACME-)([a-z0-9]{8,})
entropy 2
reach 64
fold
found token acme_k3v8x1q7
ignored acme_docs
`

func TestParse(t *testing.T) {
	rules, err := Parse("acme.rules", acme)
	if err != nil {
		t.Fatal(err)
	}
	want := []Rule{{
		Name: "acme-key", About: "keys of the Acme API", Keywords: []string{"acme_", "ACME-"}, Regexp: "(?:acme_|ACME-)([a-z0-9]{8,})",
		Entropy: 2, Reach: 64, Fold: true, Found: []string{"token acme_k3v8x1q7"}, Ignored: []string{"acme_docs"},
	}}
	if diff := cmp.Diff(want, rules); diff != "" {
		t.Error(diff)
	}
	s, err := New(Config{Extra: rules})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]redact.Match{match(7, 15, "acme-key")}, s.Find("x Acme-a1b2c3d4 y")); diff != "" {
		t.Error(diff)
	}
	if rules, err := Parse("none", "\n# nothing\n"); rules != nil || err != nil {
		t.Errorf("an empty file: %v, %v", rules, err)
	}
}

func TestParseIsStrict(t *testing.T) {
	for text, says := range map[string]string{
		"keyword acme_":                               `f:1: a line "rule NAME" must come first`,
		"rule a\nkeywrod acme_":                       `f:2: there is no "keywrod"; did you mean keyword?`,
		"rule a\n\n\nwhatever x":                      `f:4: there is no "whatever"; a line begins with one of`,
		"rule a\nkeyword ac":                          "f:2: keyword needs a text of 3 bytes or more",
		"rule a\nfound":                               "f:2: found needs a text",
		"rule a\nfold yes":                            "f:2: fold stands alone",
		"rule a\nentropy NaN":                         "f:2: entropy is a number",
		"rule a\nentropy 9":                           "f:2: entropy is a number",
		"rule a\nreach 1000000":                       "f:2: reach is a number",
		"rule a\nregexp x\nregexp y":                  "f:3: a rule has one regexp",
		"rule a\nregexp " + strings.Repeat("x", 3000): "f:2: a rule has one regexp",
		"rule a\nkeyword abc\nregexp abc":             "rule a needs a keyword, a regexp and an example",
		"rule a\xff":                                  "not UTF-8",
		strings.Repeat("rule a\n", 201):               "201 rules; at most 200",
	} {
		if _, err := Parse("f", text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: the error is %v, it should say %q", text, err, says)
		}
	}
}
