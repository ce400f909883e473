package patterns

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// rounds is how often every example is tried, each time with other random characters.
const rounds = 40

func picker(of string) func(int) int {
	h := fnv.New64a()
	h.Write([]byte(of))
	return rand.New(rand.NewPCG(h.Sum64(), 1)).IntN
}

func all(t testing.TB, c Config) *Set {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTable tries every rule's examples, alone and beside all others, in the middle of several
// texts.
func TestTable(t *testing.T) {
	t.Parallel()
	everything := all(t, Config{})
	names := map[string]bool{}
	for _, r := range Rules() {
		if names[r.Name] || r.About == "" || len(r.Keywords) == 0 || len(r.Found) == 0 || len(r.Ignored) == 0 {
			t.Errorf("%s: its name or description is missing or not its own, or it has no examples", r.Name)
		}
		names[r.Name] = true
		alone := all(t, Config{Off: others(r.Name)})
		for _, example := range r.Found {
			pick := picker(example)
			for range rounds {
				text, secret := fillIn(example, pick)
				for _, around := range []string{"%s", "a line\n%s\nanother", "\t%s ", "%[1]s\n%[1]s"} {
					whole := fmt.Sprintf(around, text)
					if got := secretsIn(alone, whole); !onlyThese(got, secret, strings.Count(whole, text)) {
						t.Errorf("%s: in %q it finds %q, want %q", r.Name, whole, got, secret)
					}
					if !covered(everything, whole, secret) {
						t.Errorf("%s: with all rules, %q is not masked in %q: %q", r.Name, secret, whole,
							secretsIn(everything, whole))
					}
				}
				if t.Failed() {
					break
				}
			}
		}
		for _, example := range r.Ignored {
			text, _ := fillIn(example, picker(example))
			if got := secretsIn(alone, text); len(got) > 0 {
				t.Errorf("%s: it finds %q in %q", r.Name, got, text)
			}
		}
	}
}

func others(name string) (off []string) {
	for _, r := range Rules() {
		if r.Name != name {
			off = append(off, r.Name)
		}
	}
	return off
}

func secretsIn(s *Set, text string) (found []string) {
	for _, m := range s.Find(text) {
		found = append(found, text[m.Start:m.End])
	}
	return found
}

func onlyThese(got []string, want string, n int) bool {
	return len(got) == n && !slices.ContainsFunc(got, func(s string) bool { return s != want })
}

// covered reports whether no character of the first occurrence of secret is left.
func covered(s *Set, text, secret string) bool {
	start := strings.Index(text, secret)
	for _, m := range s.Find(text) {
		if m.Start <= start && start+len(secret) <= m.End {
			return true
		}
	}
	return false
}

// The contexts in which gitleaks (github.com/gitleaks/gitleaks, cmd/generate/config, MIT) tries
// each of its rules, in our own words: NAME is assigned VALUE. What gitleaks lists as not yet found
// (values beside the word in comments and tables) is not found here either.
func contexts() map[string]string {
	return map[string]string{
		"INI":                 "acme_NAME=VALUE\n",
		"INI, spaces":         "acme_NAME = VALUE\n",
		"INI, quoted":         `acme_NAME = "VALUE"`,
		"JSON":                "{\n  \"acme_NAME\": \"VALUE\"\n}",
		"JSON in a string":    `"{\"acme_NAME\": \"VALUE\"}"`,
		"XML":                 "<acmeNAME>VALUE</acmeNAME>",
		"YAML":                "acme_NAME: VALUE\n",
		"YAML, single quotes": "acme_NAME: 'VALUE'\n",
		"YAML, double quotes": "acme_NAME: \"VALUE\"\n",
		"C#":                  `string acmeNAME = "VALUE";`,
		"Go, long":            `var acmeNAME string = "VALUE"`,
		"Go, short":           `acmeNAME := "VALUE"`,
		"Go, raw":             "acmeNAME := `VALUE`",
		"Kotlin, typed":       `val acmeNAME: String = "VALUE"`,
		"Python, typed":       `acme_NAME: str = 'VALUE'`,
		"Python, dictionary":  `config["acme_NAME"] = "VALUE"`,
		"Python, repr":        `{'acme_NAME': 'VALUE', 'b': 1}`,
		"PHP":                 `$acmeNAME .= "VALUE"`,
		"Ruby":                `"acme_NAME" => "VALUE"`,
		"make":                "ACME_NAME ?= VALUE",
		"make, shell":         "ACME_NAME :::= VALUE",
		"make, append":        "ACME_NAME += VALUE",
		"shell":               "export ACME_NAME=VALUE; run",
		"shell, quoted":       "ACME_NAME='VALUE' run",
		"query":               "https://h.example/p?x=1&acme_NAME=VALUE&y=2",
		"form":                "grant=x&acme_NAME=VALUE",
		"header":              "X-Acme-NAME: VALUE\r\n",
		"log":                 `level=info msg="x" acme_NAME=VALUE took=3`,
		"map":                 "{user=a, acme_NAME=VALUE}",
	}
}

func TestContexts(t *testing.T) {
	t.Parallel()
	s := all(t, Config{})
	for _, name := range []string{"token", "Token", "TOKEN", "secret", "api_key", "apiKey", "access_key",
		"client_secret", "password", "PASSWORD", "passwd"} {
		for _, value := range []string{"⟨w32⟩", "⟨h40⟩", "⟨h8⟩-⟨h4⟩-⟨h4⟩-⟨h4⟩-⟨h12⟩", "⟨s43⟩"} {
			for kind, context := range contexts() {
				secret, _ := fillIn(value, picker(name+value+kind))
				text := strings.NewReplacer("NAME", name, "VALUE", secret).Replace(context)
				if !covered(s, text, secret) {
					t.Errorf("%s: %q is not masked in %q: %q", kind, secret, text, secretsIn(s, text))
				}
			}
		}
	}
}

// TestNotSecrets are false positives that users reported to such tools, in our own words.
func TestNotSecrets(t *testing.T) {
	t.Parallel()
	s := all(t, Config{})
	for _, text := range []string{
		"client_vpn_endpoint_id = aws_ec2_client_vpn_endpoint.client-vpn-endpoint.id",
		"password combination.\n\nR5: Regulatory--21",
		"golang.org/x/oauth2 v0.15.0 h1:s8pnnxNVzjWyrvYdFUQq5llS1PX2zhPXmccZv99h7uQ=",
		"key: ${{ runner.os }}-go-${{ hashFiles('**/go.sum') }}", "password: ${{ secrets.REGISTRY_PASSWORD }}",
		"token: ${{ github.token }}",
		`<input type="password" id="password2" placeholder="Password">`, "<password>{{ password }}</password>",
		`password: { type: "string", minLength: 12 }`,
		"PASSWORD_MIN_LENGTH=12", "password_digest varchar(255)", "secretName: registry-credentials",
		"tokenURL: https://login.example.com/oauth2/v2.0/token",
		"secret = Secret.from_name('db-credentials')", "token = next(tokens)", "access_key = keys[0]",
		"api_key=API_KEY_PLACEHOLDER_2", "token = TokenType.ACCESS_2",
		"api-key: {{ .Values.apiKey }}", "password = input('Password: ')", "token := r.Header.Get(\"X-Token\")",
		"MYSQL_ROOT_PASSWORD_FILE=/run/secrets/mysql-root",
		"uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683", "image: python@sha256:⟨h64⟩",
		"integrity sha512-⟨b86⟩==", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC123",
	} {
		text, _ := fillIn(text, picker(text))
		if got := secretsIn(s, text); len(got) > 0 {
			t.Errorf("%q is found in %q", got, text)
		}
	}
}

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
