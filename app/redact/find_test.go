package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/secrets"
)

// TestCutAtEveryPlace: what a text's cut end holds of a secret is masked from the fourth byte on.
func TestCutAtEveryPlace(t *testing.T) {
	t.Parallel()
	secret := long + "-and-a-longer-tail-so-that-it-has-more-than-48-bytes"
	r := of(secret)
	for n := range len(secret) {
		text, want := "AAA "+secret[:n], "AAA "+secret[:n]
		if n >= minCut {
			want = "AAA [REDACTED]"
		}
		if got, hits := cutText(r, text); got.String() != want || hits != strings.Count(want, "[") {
			t.Errorf("%d bytes: %d hits, %q", n, hits, got)
		}
	}
	for _, form := range []string{base64.StdEncoding.EncodeToString([]byte(secret)), hex.EncodeToString([]byte(secret))} {
		for n := 2 * match.PartLength; n < len(form); n++ {
			if got, hits := cutText(r, "AAA "+form[:n]); hits != 1 || strings.Contains(got.String(), form[:8]) {
				t.Errorf("%d bytes: %d hits, %q", n, hits, got)
			}
		}
	}
}

// TestCutTellsNothingOfSealedValues: where an output ends is the script's choice, which doesn't
// hold the sealed value. A mask there would tell it, or its agent, that the value begins like that.
func TestCutTellsNothingOfSealedValues(t *testing.T) {
	t.Parallel()
	sealed, injected := "sealed-0123456789-value", "injected-9f8e7d6c5b4a-token"
	r := New([]secrets.Resolved{{Key: "A", Secret: app.NewSecret(sealed), Placeholder: "placeholder"},
		{Key: "B", Secret: app.NewSecret(injected)}})
	for _, form := range []string{sealed, base64.StdEncoding.EncodeToString([]byte(sealed)),
		hex.EncodeToString([]byte(sealed)), wrap(base64.StdEncoding.EncodeToString([]byte(sealed)), 8, "\n")} {
		for n := range len(form) - 3 { // base64 may have its padding yet to come
			if got, hits := cutText(r, "AAA "+form[:n]); got.String() != "AAA "+form[:n] || hits != 0 {
				t.Errorf("%q: %d hits, %q", form[:n], hits, got)
			}
		}
		if got, hits := cutText(r, "AAA "+form); hits != 1 || strings.Contains(got.String(), form) {
			t.Errorf("%q: %d hits, %q", form, hits, got)
		}
	}
	if got, hits := cutText(r, "AAA "+sealed+" "+injected[:6]); hits != 2 || strings.Contains(got.String(), sealed) ||
		strings.Contains(got.String(), "injec") {
		t.Errorf("%d hits, %q", hits, got)
	}
}

// TestAnyCaseOfALongValue: the case of letters is no way past the redactor, for values that are
// unmistakable without it.
func TestAnyCaseOfALongValue(t *testing.T) {
	t.Parallel()
	const secret = "k3V8x1q7W5z2M9n4B6c0"
	swapped := strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, secret)
	r := of(secret, "hunter2")
	for name, text := range map[string]string{"swapped": swapped, "small": strings.ToLower(secret),
		"capital": strings.ToUpper(secret), "title": "K3V8X1q7W5Z2M9N4B6C0", "mixed": "K3v8X1Q7w5Z2m9N4b6C0"} {
		if got, hits := r.Text("so " + text + " it is"); got.String() != "so [REDACTED] it is" || hits[0].Name != "A" {
			t.Errorf("%s: %q, %+v", name, got, hits)
		}
		out, n, err := jsonOf(r, []byte(`{"a":"`+text+`"}`))
		if err != nil || n != 1 || out.String() != `{"a":"[REDACTED]"}` {
			t.Errorf("%s: %s", name, out)
		}
	}
	if live, n := stream(t, r, "so "+swapped+" it is"); n != 1 || live != "so [REDACTED] it is" {
		t.Errorf("live: %q", live)
	}
	for _, text := range []string{"Hunter2", "HUNTER2"} { // short values are ordinary words too often
		if got, n := maskText(r, "so "+text+"x it is"); n != 0 {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestBesideAnEscape: what is decoded is looked at with what stands around it. A value that stands
// there as it is stays plain text: it shows its last characters, nothing around it is masked with
// it, and people aren't told that it was encoded.
func TestBesideAnEscape(t *testing.T) {
	t.Parallel()
	for name, escape := range map[string]string{"backslash": `\u00e9 \n`, "percent": "100%25", "HTML": "a &amp; b",
		"quoted-printable": "=C3=A9", "Unicode form": "Ａ ﬁ"} {
		for _, c := range []struct{ form, want, encoding string }{
			{long, "[REDACTED...6789]", ""},
			{base64.StdEncoding.EncodeToString([]byte("user: " + long)), "dXNlcjog[REDACTED]", "base64"},
		} {
			text := "GET https://h.example/api/v1/" + c.form + "/items?x=1 " + escape + "\n"
			want := "GET https://h.example/api/v1/" + c.want + "/items?x=1 " + escape + "\n"
			got, hits := of(long).Text(text)
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
			if diff := cmp.Diff(Hits{{Name: "A", Encoding: c.encoding, Count: 1}}, hits); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
	got, hits, err := resultOf(of("18304421"), []byte(`[-118304421.5, "a\\n"]`))
	if err != nil || got.String() != `["-1[REDACTED].5","a\\n"]` || len(hits) != 1 || hits[0].Encoding != "" {
		t.Errorf("%s, %+v, %v", got, hits, err)
	}
}

// TestCutCodeEndsWithItsText: an encoded value that was cut off doesn't go on in a result, or in the
// next line.
func TestCutCodeEndsWithItsText(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(21, 22))
	var key strings.Builder
	key.WriteString("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n")
	for range 25 {
		key.WriteString(randomSecret(random, 64) + "\n")
	}
	key.WriteString("-----END PRIVATE KEY-----")
	for name, code := range map[string]string{
		"base64":          base64.StdEncoding.EncodeToString([]byte(key.String())),
		"base64 in lines": wrap(base64.StdEncoding.EncodeToString([]byte(key.String())), 76, "\n"),
		"hex":             hex.EncodeToString([]byte(key.String())),
	} {
		for _, n := range []int{200, 400, 401, 950} {
			const result = `{"n":1,"orders":["one","two",12345678],"total":297037.5}`
			out, err := of(key.String()).Execution(Execution{Stdout: Output{Raw: []byte(code[:n] + "\n")},
				Result: json.RawMessage(result)})
			if err != nil {
				t.Fatal(err)
			}
			if out.Result.String() != result || strings.Contains(out.Stdout.String(), code[n/2:n/2+20]) {
				t.Errorf("%s, %d: %s, %s", name, n, out.Stdout, out.Result)
			}
			got, _ := of(key.String()).Text(code[:n] + "\nordinary\ntext deadbeef follows\n")
			if !strings.HasSuffix(got.String(), "rdinary\ntext deadbeef follows\n") {
				t.Errorf("%s, %d: %s", name, n, got)
			}
			live, _ := stream(t, of(key.String()), code[:n]+"\nordinary\ntext ", "deadbeef follows\n")
			if !strings.HasSuffix(live, "rdinary\ntext deadbeef follows\n") {
				t.Errorf("%s, %d, live: %s", name, n, live)
			}
		}
	}
}

// pythonForms of the interpreter itself, as scripts print them.
const printForms = `
import base64, json, sys, urllib.parse as u, binascii
def forms(s):
    b = s.encode()
    yield from (s, repr(s), ascii(s), repr(b), repr([s, 1]), repr({"k": s}), f"{s!r}")
    yield from (json.dumps(s), json.dumps(s, ensure_ascii=False), json.dumps({s: [s]}, indent=1))
    yield from (u.quote(s), u.quote(s, safe=""), u.quote_plus(s), u.urlencode({"a": s}), u.quote(b, safe="/:@"[:0]))
    yield from (b.hex(), b.hex().upper(), binascii.hexlify(b).decode(), "".join(f"%{c:02x}" for c in b))
    for n in range(4):
        for f in (base64.b64encode, base64.urlsafe_b64encode):
            yield f(b"." * n + b + b"!" * n).decode()
    try:
        raise ValueError("bad: " + s)
    except ValueError as e:
        yield from (repr(e), str(e))
    yield str(KeyError(s))
json.dump([list(forms(s)) for s in json.load(sys.stdin)], sys.stdout)
`

// TestPythonForms asks the real interpreter for the forms of nasty secrets; each must be masked so
// that neither the form nor half of the secret is left.
func TestPythonForms(t *testing.T) {
	t.Parallel()
	secrets := []string{
		long, "p@ss/wörd+<x>&y=z", `it's "quoted" \ back`, "only 'single' quotes", `only "double" quotes`,
		"tab\there and\nnew line",
		"emoji 😀 and € and ß", "control \x01\x1f\x7f bytes", "nbsp\u00a0sep\u2028zero\u200bwidth", "percent % sign %41",
		"combining e\u0301 x",
		"private \ue000 use", "backslash-n \\n literal", "{\"type\": \"service_account\"}",
		"semi;comma,amp&plus+tilde~star*",
	}
	in, err := json.Marshal(secrets)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/usr/bin/python3", "-c", printForms)
	cmd.Stdin = bytes.NewReader(in)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var forms [][]string
	if err := json.Unmarshal(out, &forms); err != nil {
		t.Fatal(err)
	}
	for i, secret := range secrets {
		r := of(secret)
		for _, form := range forms[i] {
			got, hits := maskText(r, form)
			if hits == 0 {
				t.Errorf("%q is not found in %q", secret, form)
			}
			for _, part := range unmasked(got.String()) {
				if len(part) >= 20 {
					t.Errorf("%q in %q leaves %q", secret, form, part)
				}
			}
		}
	}
}

// TestOrdinaryColumns: what reports hold most are numbers, thousands of them. Nearly each may be a
// character, and a column is one number without the ends of its lines; such lists took more work
// than there was a budget for, and were masked whole.
func TestOrdinaryColumns(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	id := 0
	red := of(ordinary...)
	for _, tt := range []struct {
		name string
		n    int
		next func() any
	}{
		{"prices", 5_000, func() any { return float64(r.IntN(20_000)) / 100 }},
		{"ages", 21_000, func() any { return 18 + r.IntN(70) }},
		{"pixels", 20_000, func() any { return r.IntN(256) }},
		{"years", 12_000, func() any { return 1950 + r.IntN(77) }},
		{"floats", 3_000, func() any { return r.NormFloat64() }},
		{"flags", 45_000, func() any { return r.IntN(2) }},
		{"numbers in a row", 3_000, func() any { id++; return id }},
		{"times", 4_500, func() any { return 1_795_000_000 + r.IntN(1_000_000) }},
		{"rows", 12_000, func() any { id++; return map[string]int{"id": id, "age": 18 + r.IntN(70)} }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var values []any
			var lines strings.Builder
			for range tt.n {
				v := tt.next()
				values = append(values, v)
				fmt.Fprintln(&lines, v)
			}
			data, err := json.Marshal(values)
			if err != nil {
				t.Fatal(err)
			}
			if got, hits := red.Text(lines.String()); hits != nil || got.String() != lines.String() {
				t.Errorf("printed: %d bytes, %v", lines.Len(), hits)
			}
			if _, hits, err := resultOf(red, data); err != nil || hits != nil {
				t.Errorf("as a result: %d bytes, %v, %v", len(data), hits, err)
			}
		})
	}
}

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
