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
	t.Parallel()
	rules, err := Parse("acme.rules", acme)
	if err != nil {
		t.Fatal(err)
	}
	want := []Rule{{
		Name: "acme-key", About: "keys of the Acme API", Keywords: []string{"acme_", "ACME-"},
		Regexp:  "(?:acme_|ACME-)([a-z0-9]{8,})",
		Entropy: 2, Reach: 64, Fold: true, Where: "acme.rules:2", Found: []string{"token acme_k3v8x1q7"},
		Ignored: []string{"acme_docs"},
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
	t.Parallel()
	for text, says := range map[string]string{
		"keyword acme_":                               `f:1: a line "rule NAME" must come first`,
		"rule a\nkeywrod acme_":                       `f:2: there is no "keywrod"; a line begins with one of rule, about, keyword`,
		"rule a\n\n\nwhatever x":                      `f:4: there is no "whatever"; a line begins with one of`,
		"rule a\nkeyword ac":                          "f:2: keyword needs a text of 3 bytes or more",
		"rule a\nfound":                               "f:2: found needs a text",
		"rule a\nfold yes":                            "f:2: fold stands alone",
		"rule a\nentropy NaN":                         "f:2: entropy is a number",
		"rule a\nentropy 9":                           "f:2: entropy is a number",
		"rule a\nreach 1000000":                       "f:2: reach is a number",
		"rule a\nregexp x\nregexp y":                  "f:3: a rule has one regexp",
		"rule a\nregexp " + strings.Repeat("x", 3000): "f:2: a rule has one regexp",
		"rule a\nkeyword abc\nregexp abc":             "f:1: rule a needs a keyword, a regexp and an example",
		"rule a\xff":                                  "not UTF-8",
		strings.Repeat("rule a\n", 201):               "201 rules; at most 200",
	} {
		if _, err := Parse("f", text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: the error is %v, it should say %q", text, err, says)
		}
	}
}

// TestWhereARuleIsWrong: also what is found out only when the rules are tried is told with file and
// line.
func TestWhereARuleIsWrong(t *testing.T) {
	t.Parallel()
	rule := func(name, expression, found, ignored string) string {
		return "# ours\n\nrule " + name + "\nkeyword acme_\nregexp " + expression + "\nfound " + found + "\nignored " +
			ignored + "\n"
	}
	for text, says := range map[string]string{
		rule("acme", "acme_[a-z]{8}", "acme_short",
			"acme_x"): `f:3: rule acme doesn't find its own example "acme_short"`,
		rule("acme", "acme_[a-z]{3}", "acme_abc", "acme_xyz"): `f:3: rule acme finds something in "acme_xyz"`,
		rule("acme", "acme_(", "acme_abc", "acme_x"):          "f:3: rule acme: ",
		rule("acme", "(acme_)?", "acme_abc",
			"acme_x"): "f:3: rule acme: its expression matches the empty text",
		rule("github", "acme_[a-z]{3}", "acme_abc", "acme_x"):      "f:3: there are two rules github",
		rule("Acme's keys", "acme_[a-z]{3}", "acme_abc", "acme_x"): `f:3: "Acme's keys" is no name of a rule`,
	} {
		rules, err := Parse("f", text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(Config{Extra: rules}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("the error is %v, it should say %q", err, says)
		}
	}
}
