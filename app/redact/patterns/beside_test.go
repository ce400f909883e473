package patterns

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/redact"
)

func redactor(t testing.TB) *redact.Redactor {
	set, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	return redact.New(nil, redact.Options{Rules: set.Find, Ahead: set.FindAhead})
}

// Neither looks like a secret by itself.
const (
	besidePassword = "Tr0ub4dor-9x"
	besideToken    = "k3V8x1q7W5z2M9n4B6c0"
)

// TestResultIsJudgedWithItsKeys: what a name makes a secret is masked in a result as in a text,
// whether the name is a key, the first of a pair, or the head of a column.
func TestResultIsJudgedWithItsKeys(t *testing.T) {
	t.Parallel()
	r := redactor(t)
	for name, data := range map[string]string{
		"keys":                      `{"user": "anna", "password": "P", "access_token": "T", "env": {"AWS_SECRET_ACCESS_KEY": "T"}}`,
		"a list under a key":        `{"passwords": ["P"], "password": ["P", "P"]}`,
		"pairs":                     `[["user", "anna"], ["password", "P"], ["api_key", "T"]]`,
		"pairs as objects":          `[{"name": "DB_PASSWORD", "value": "P"}, {"key": "api_token", "value": "T"}, {"name": "user", "value": "anna"}]`,
		"a table":                   `{"columns": ["user", "password", "n"], "index": [0, 1], "data": [["anna", "P", 1], ["bob", "P", 2]]}`,
		"a table of two":            `{"columns": ["user", "password"], "data": [["anna", "P"], ["bob", "P"]]}`,
		"a table with its head":     `[["user", "password", "n"], ["anna", "P", 1], ["bob", "P", 2]]`,
		"a table with descriptions": `{"fields": [{"name": "user"}, {"name": "password"}, {"name": "n"}], "rows": [["anna", "P", 1]]}`,
		"a column":                  `{"user": ["anna", "bob"], "password": ["P", "P"]}`,
		"a column by row":           `{"user": {"0": "anna"}, "password": {"0": "P", "1": "P"}}`,
		"lists side by side":        `{"names": ["user", "password"], "values": ["anna", "P"]}`,
		"records":                   `{"rows": [{"user": "anna", "password": "P"}, {"user": "bob", "password": "P"}]}`,
		"deep":                      `{"a": [{"b": {"c": [[{"client_secret": "T"}]]}}]}`,
		"a header":                  `{"headers": {"Authorization": "Bearer T", "Accept": "text/html"}}`,
		"quotes":                    `{"password": "ab\"cd\"9x-P"}`,
	} {
		data = strings.NewReplacer(`"P"`, `"`+besidePassword+`"`, `"T"`, `"`+besideToken+`"`, "Bearer T",
			"Bearer "+besideToken, "9x-P", besidePassword).Replace(data)
		if name == "a list under a key" {
			data = strings.Replace(data, `"passwords": ["`+besidePassword+`"], `, "", 1)
		}
		out, err := r.Execution(redact.Execution{Result: json.RawMessage(data)})
		if err != nil {
			t.Fatal(name, err)
		}
		got := out.Result.String()
		if strings.Contains(got, besidePassword) || strings.Contains(got, besideToken) {
			t.Errorf("%s: %s", name, got)
		}
		for _, kept := range []string{"anna", "bob", "user", "password", "text/html"} {
			if strings.Count(got, kept) != strings.Count(data, kept) {
				t.Errorf("%s: %s has no more %s", name, got, kept)
			}
		}
	}
}

// TestEveryChannelHasTheSameMasks: the same data is masked in what is printed, asked and raised as
// it is in a result.
func TestEveryChannelHasTheSameMasks(t *testing.T) {
	t.Parallel()
	r := redactor(t)
	data := fmt.Sprintf(`{"user": "anna", "password": %q, "access_token": %q, "env": {"AWS_SECRET_ACCESS_KEY": %[2]q}}`,
		besidePassword, besideToken)
	pairs := fmt.Sprintf(`[("user", "anna"), ("password", %q), ("access_token", %q)]`, besidePassword, besideToken)
	for name, text := range map[string]string{"JSON": data, "repr": strings.ReplaceAll(data, `"`, "'"), "pairs": pairs,
		"repr of pairs": strings.ReplaceAll(pairs, `"`, "'")} {
		x := redact.Execution{Stdout: redact.Output{Raw: []byte(text)}, Stderr: redact.Output{Raw: []byte(text)}, Error: text}
		if name == "JSON" {
			x.Result = json.RawMessage(text)
		}
		out, err := r.Execution(x)
		if err != nil {
			t.Fatal(err)
		}
		prompt, _ := r.Text(text)
		shown := []string{out.Stdout.String(), out.Stderr.String(), out.Error.String(), prompt.String()}
		if out.Result != nil {
			shown = append(shown, out.Result.String())
		}
		for i, got := range shown {
			if strings.Contains(got, besidePassword) || strings.Contains(got, besideToken) || !strings.Contains(got, "anna") {
				t.Errorf("%s, channel %d: %s", name, i, got)
			}
		}
	}
}

// TestOrdinaryResultsStay: names that say nothing, and values that are no secrets, stay as they
// are.
func TestOrdinaryResultsStay(t *testing.T) {
	t.Parallel()
	r := redactor(t)
	for _, data := range []string{
		`{"next_page_token":"k3V8x1q7W5z2M9n4B6c0","password":"required","passwords":3,"token_count":12}`,
		`{"columns":["city","total"],"data":[["Hamburg",1],["Aachen",2]],"index":[0,1]}`,
		`[["password","string"],["user","string"]]`,
		`{"id":"k3V8x1q7W5z2M9n4B6c0","key":"orders","value":"297037.5"}`,
	} {
		out, err := r.Execution(redact.Execution{Result: json.RawMessage(data)})
		if err != nil || out.Result.String() != data {
			t.Errorf("%s became %s, %v", data, out.Result, err)
		}
	}
}

// BenchmarkResult is the final pass over a result of ten thousand rows.
func BenchmarkResult(b *testing.B) {
	r := redactor(b)
	data := []byte(`[` + strings.Repeat(`{"id":12345,"name":"An ordinary name","amount":"1234.50"},`, 10000) + `null]`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := r.Execution(redact.Execution{Result: data}); err != nil {
			b.Fatal(err)
		}
	}
}
