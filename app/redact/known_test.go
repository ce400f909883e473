package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/match"
	"github.com/computclaw/airlock/app/secrets"
)

// TestHoleM3Slices: a part of a value that a script shows without meaning to hide it is masked and
// counted, in every channel.
func TestHoleM3Slices(t *testing.T) {
	t.Parallel()
	for kind, k := range map[string]string{
		"letters and digits": "x81LmN4vT7wkP9sZxQ2rY6uJ3hB5nC0dE1fG8aKo",
		"hex":                "8f14e45fceea167a5a36dedd4bea2543",
		"base64":             "Wq3+Ab/9kLmNoPq4RsTuVwXyZ0123aBcDeFgHiJkLm0=",
		"JSON web token":     "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0MiJ9.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
		"signs":              `x7"k=;:/p@q!Lm2$vN9(wZ)4#rT8*`,
		"of other scripts":   "pä7ßñ€漢4x9éK2ß漢öñ8€wäZé3ñß漢ö9",
	} {
		for input, shown := range map[string]string{
			"k[1:]":          string([]rune(k)[1:]),
			"k[:-1]":         string([]rune(k)[:len([]rune(k))-1]),
			`k[:20] + "..."`: string([]rune(k)[:20]) + "...",
		} {
			want := maskPlain
			switch input {
			case `k[:20] + "..."`:
				want += "..."
			}
			r := keyOf(k)
			clean, hits := r.Text("it is " + shown + "\n")
			if len(hits) != 1 || hits[0].Name != "KEY" || hits[0].Count != 1 ||
				clean.String() != "it is "+want+"\n" {
				t.Errorf("%s, %s: %q, %v", kind, input, clean, hits)
			}
			if got, n := stream(t, r, strings.Split("it is "+shown+"\n", "")...); got != clean.String() || n != 1 {
				t.Errorf("%s, %s: live %q", kind, input, got)
			}
			if asked, hits := r.Text(shown); hits.Total() != 1 || asked.String() != want {
				t.Errorf("%s, %s: a question: %q", kind, input, asked)
			}
			x, err := r.Execution(Execution{
				Stdout: Output{Raw: []byte(shown)}, Stderr: Output{Raw: []byte(shown), Cut: true}, Error: "KeyError: " +
					shown,
				Result: fmt.Appendf(nil, `{%q: [%q]}`, shown, shown), Network: []string{"api.example.com", shown},
			})
			if err != nil {
				t.Fatal(err)
			}
			for channel, want := range map[string]int{"stdout": 1, "stderr": 1, "error": 1, "result": 2, "network": 1} {
				if n := x.Hits[channel].Total(); n != want {
					t.Errorf("%s, %s: %d hits in %s", kind, input, n, channel)
				}
			}
		}
	}
}

// TestHoleM3Edges has what is a part and what isn't.
func TestHoleM3Edges(t *testing.T) {
	t.Parallel()
	const key = "x81LmN4vT7wkP9sZxQ2rY6uJ3hB5nC0dE1fG8aKo"
	for name, c := range map[string]struct{ value, in, want string }{
		"16 characters":                  {key, "-" + key[7:23] + "-", "-[REDACTED]-"},
		"15 characters":                  {key, "-" + key[7:22] + "-", "-" + key[7:22] + "-"},
		"16 at the end":                  {key, key[24:], "[REDACTED]"},
		"all of it shows its end":        {key, key + key[:20], "[REDACTED...8aKo][REDACTED]"},
		"two parts side by side":         {key, key[:18] + " " + key[4:30], "[REDACTED] [REDACTED]"},
		"a word that the value has":      {"sunshine99", "sunshine, the sunshine", "sunshine, the sunshine"},
		"a long word that the value has": {"thermostatwelcome", "thermostat welcome", "thermostat welcome"},
		"few different characters": {strings.Repeat("xyz-", 10), strings.Repeat("xyz-", 6),
			strings.Repeat("xyz-", 6)},
	} {
		got, _ := keyOf(c.value).Text(c.in)
		if got.String() != c.want {
			t.Errorf("%s: %q becomes %q", name, c.in, got)
		}
	}
}

// TestHoleM3OnPurpose: what a script does to hide a value is no part of it, and is not found.
// SECURITY.md says so.
func TestHoleM3OnPurpose(t *testing.T) {
	t.Parallel()
	const k = "x81LmN4vT7wkP9sZxQ2rY6uJ3hB5nC0dE1fG8aKo"
	second := ""
	for i := 0; i < len(k); i += 2 {
		second += k[i : i+1]
	}
	groups := k[:7] + "|" + k[7:14] + "|" + k[14:21] + "|" + k[21:28] + "|" + k[28:35]
	for name, text := range map[string]string{
		"k[::2]":          second,
		"names":           "LATIN SMALL LETTER X, DIGIT EIGHT, DIGIT ONE, LATIN CAPITAL LETTER L, LATIN SMALL LETTER M",
		"base58":          "2NEpo7TZRRrLZSi2U1xVtYkHkEyzRGmAVdLqX3d4tJ8WbGmPcZrVnF9u",
		"fifteen":         k[:15],
		"seven and seven": k[:7] + "..." + k[33:],
		"groups of seven": strings.ReplaceAll(groups, "|", " and "),
	} {
		if got, hits := keyOf(k).Text(text); got.String() != text || hits != nil {
			t.Errorf("%s: %q, %v", name, got, hits)
		}
	}
}

// TestHoleM3NoOracle: of a value that the script doesn't hold no part is masked, or who knows 15
// characters of it would try 64 for the next one.
func TestHoleM3NoOracle(t *testing.T) {
	t.Parallel()
	const k = "sk-live-x81LmN4vT7wkP9sZxQ2rY6uJ3hB5nC0dE1fG8aKo"
	for name, v := range map[string]secrets.Resolved{
		"sealed": {Key: "KEY", Secret: app.NewSecret(k), Placeholder: "airlock_sealed_0a1b2c3d4e5f"},
		"lent":   {Key: "KEY", Secret: app.NewSecret(k), Held: secrets.ByAnother},
	} {
		r := New([]secrets.Resolved{v, {Key: "OTHER", Secret: app.NewSecret("8f14e45fceea167a5a36dedd4bea2543")}})
		for from := range len(k) {
			for to := from + 1; to <= len(k); to++ {
				part := k[from:to]
				if part == k {
					continue
				}
				if got, n := stream(t, r, part, "\n"); got != part+"\n" || n != 0 {
					t.Fatalf("%s: %q", name, got)
				}
				if (to-from)%9 != 0 { // the final pass takes longer
					continue
				}
				for _, mask := range []func(*Redactor, string) (Clean, int){maskText, cutText} {
					if got, n := mask(r, part); got.String() != part || n != 0 {
						t.Fatalf("%s: %q", name, got)
					}
				}
			}
		}
	}
}

// publicParts are values with parts that ordinary text has, too, and such text.
var publicParts = map[string]struct {
	value  string
	public []string
	secret []string // parts that are masked nonetheless
}{
	"a private key": {
		"-----BEGIN PRIVATE " +
			"KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n-----END PRIVATE KEY-----",
		[]string{"-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----",
			"MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAy8Dbv8prpJ/0kKhlGeJY"},
		[]string{"MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3", "AAoIBAQC7VJTUt9Us8cKj", "98C3SC6dVMvDuictGe"},
	},
	"a database": {
		"postgresql://reporting_service:kP9sZx81qLmN4vT7@db.internal.example.com:5432/warehouse?sslmode=verify-full&application_name=airlock",
		[]string{"postgresql://localhost/", "reporting_service", "db.internal.example.com:5432/warehouse",
			"?sslmode=verify-full", "application_name=airlock"},
		[]string{"kP9sZx81qLmN4vT7", "reporting_service:kP9sZx81qLmN4vT7@db.internal"},
	},
	"a web hook": {
		"https://hooks.example.com/services/incoming/a8Fk29dKq0Zx71LmN4vT7wkP",
		[]string{"https://hooks.example.com/services/incoming/", "see https://hooks.example.com/services"},
		[]string{"a8Fk29dKq0Zx71LmN4vT7wkP", "Fk29dKq0Zx71LmN4"},
	},
	"a service account": {
		`{"type": "service_account", "project_id": "example-project-2026", "private_key_id": "8f14e45fceea167a5a36dedd4bea25438f14e45f", "private_key": "-----BEGIN PRIVATE KEY-----\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n-----END PRIVATE KEY-----\n", "client_email": "reports@example-project-2026.iam.gserviceaccount.com", "token_uri": "https://oauth2.googleapis.com/token", "client_x509_cert_url": "https://www.googleapis.com/robot/v1/metadata/x509/reports"}`,
		[]string{`"type": "service_account"`, `"private_key_id": `,
			"reports@example-project-2026.iam.gserviceaccount.com", "https://oauth2.googleapis.com/token",
			"https://www.googleapis.com/robot/v1/metadata/x509/", "client_x509_cert_url",
			"-----BEGIN PRIVATE KEY-----"},
		[]string{"MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3", "ceea167a5a36dedd4bea2543"},
	},
	"a connection string": {
		"Endpoint=sb://reports.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=Wq3+Ab/9kLmNoPq4RsTuVwXyZ0123aBcDeFgHiJkLm0=",
		[]string{"sb://reports.servicebus.windows.net/", "SharedAccessKeyName=", "RootManageSharedAccessKey"},
		[]string{"q3+Ab/9kLmNoPq4RsTuVwXyZ"},
	},
	"settings": {
		"host=db.internal.example.com user=reporting_service password=kP9sZx81qLmN4vT7w2 dbname=warehouse_reports",
		[]string{"host=db.internal.example.com", "user=reporting_service", "dbname=warehouse_reports",
			"db.internal.example.com"},
		[]string{"P9sZx81qLmN4vT7w2"},
	},
	"a host": {"warehouse.internal.example-company.com",
		[]string{"reports.internal.example-company.com", "warehouse.internal.example-company.org"}, nil},
	"a mailbox": {
		"reporting.service@example-company.com",
		[]string{"somebody@example-company.com", "reporting.service@example.org"}, nil,
	},
}

// TestHoleM3PublicParts: of a value that is put together from several parts those that ordinary
// text has, too, are not masked.
func TestHoleM3PublicParts(t *testing.T) {
	t.Parallel()
	for name, c := range publicParts {
		r := keyOf(c.value)
		for _, text := range c.public {
			if got, hits := r.Text("x " + text + " x"); hits != nil {
				t.Errorf("%s: %q becomes %q", name, text, got)
			}
		}
		for _, text := range c.secret {
			if got, hits := r.Text("x " + text + " x"); hits.Total() == 0 {
				t.Errorf("%s: %q is not masked: %q", name, text, got)
			}
		}
		if got, hits := r.Text(c.value); hits.Total() != 1 || !strings.HasPrefix(got.String(), "[REDACTED") {
			t.Errorf("%s: as a whole it becomes %q", name, got)
		}
	}
}

// TestHoleM3EveryPart: every part of every value made at random that is long enough is masked
// wherever it stands, as a whole and in pieces; what stands around it isn't, and shorter parts are
// not.
func TestHoleM3EveryPart(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		alphabet := rapid.SampledFrom([]string{"0123456789abcdef",
			"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "abcdefgh012345+_",
			"aéß€漢😀bcD1234567"}).Draw(r, "alphabet")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 0))
		letters := func(n int) string {
			runes, of := make([]rune, n), []rune(alphabet)
			for i := range runes {
				runes[i] = of[random.IntN(len(of))]
			}
			return string(runes)
		}
		values, n := []secrets.Resolved{}, rapid.SampledFrom([]int{17, 24, 40, 64, 3000}).Draw(r, "length")
		for i := range rapid.IntRange(1, 4).Draw(r, "values") {
			values = append(values, secrets.Resolved{Key: string(rune('A' + i)), Secret: app.NewSecret(letters(n))})
		}
		red, value := New(values), []rune(values[0].Secret.Reveal())
		length := rapid.OneOf(rapid.IntRange(1, n-1), rapid.IntRange(1, 30)).Draw(r, "characters")
		length = min(length, n-1)
		from := rapid.IntRange(0, n-length).Draw(r, "from")
		part := string(value[from : from+length])
		before, behind := rapid.StringMatching(`([ .,:="-]|the |\n){0,9}`).Draw(r,
			"before")+"(", ")"+rapid.StringMatching(`([ .,:="-]|is |\n){0,9}`).Draw(r, "behind")
		text := before + part + behind
		want := text
		if known := red.find(text); len(part) >= match.PartLength {
			want = before + maskPlain + behind
		} else if len(known) > 0 {
			r.Fatalf("%d of %d characters: %q has %+v", length, n, text, known)
		}
		if whole, _ := red.Text(text); whole.String() != want {
			r.Fatalf("%d of %d characters: %q becomes %q", length, n, text, whole)
		}
		if got, _ := stream(t, red, cut(r, text)...); got != want {
			r.Fatalf("live %q becomes %q", text, got)
		}
	})
}

// wordy are values that looked like hosts, paths, logins or settings, which have public parts.
var wordy = []string{
	"gravel.mango.battery.staple.horse", "gravel/mango/battery/staple/horse", "gravel@mango@battery@staple@horse",
	"gravel:mango:battery:staple:horse", "Battery:Tiger:Staple:Garden:Window3", "gravel.garden.summer6.winter.stone1",
	"4168.200040816015", "tfaggzrpwztllhr/vvpymxqa", "glonatzzrs3.owkeyyaoqgfm", "i5s-ff:WICo=ti4rxXqs_:RU",
	"ef:f6:12:9b:00:4d:cd:21:22:93:f9:bb:00:7d:1e:81", "ef:12:f6:9b:00:4d:cd:21:22:93:f9:bb:00:7d:1e:81",
	"d9:d2:9c:00:4d:cd:21:22:93:f9:bb:00:7d:1e:12:9a", "zrenpfhh:1Sgz820KTi4BGfuX9J50ewZZrCGG54AI",
	`gw(s}\rOp!AC#:Vq^?PZim/F>$>;[dS{`, "gravel: mango, battery: staple, horse", "gravel=mango&battery=staple&horse=tiger",
}

// TestHolePartsOfWordyValues: a value that has signs between words, but no part that is known to be
// public, is masked in parts, in every channel.
func TestHolePartsOfWordyValues(t *testing.T) {
	t.Parallel()
	for _, k := range wordy {
		r := keyOf(k)
		for name, part := range map[string]string{"k[:-1]": k[:len(k)-1], "k[1:]": k[1:], "k[:16]": k[:16],
			"k[-16:]": k[len(k)-16:]} {
			line, want := "bad key: "+part+" (see log)\n", "bad key: [REDACTED] (see log)\n"
			if got, n := maskText(r, line); got.String() != want || n != 1 {
				t.Errorf("%s, %s: %q, %d hits", k, name, got, n)
			}
			if got, n := stream(t, r, line[:15], line[15:]); got != want || n != 1 {
				t.Errorf("%s, %s: live %q, %d hits", k, name, got, n)
			}
			result, err := json.Marshal([]string{line})
			if err != nil {
				t.Fatal(err)
			}
			if got, n, err := jsonOf(r, result); err != nil || n != 1 || strings.Contains(got.String(), part) {
				t.Errorf("%s, %s: a result %s, %d hits, %v", k, name, got, n, err)
			}
		}
	}
}

// TestHoleLinesOfWords: the lines of a value without names are masked by themselves and in parts,
// also if they are words.
func TestHoleLinesOfWords(t *testing.T) {
	t.Parallel()
	const (
		login = "anna\ncorrect horse battery staple gravel"
		seed  = "abandon ability able about above absent\nabsorb abstract absurd abuse access accident\n"
		mixed = "anna@example.com\nuser=correct-horse-battery-staple"
	)
	for _, c := range []struct{ value, in, want string }{
		{login, "correct horse battery staple gravel", "[REDACTED]"},
		{login, login[:len(login)-1], "anna\n[REDACTED]"},
		{login, "correct+horse+battery+staple+gravel", "[REDACTED]"},
		{login, "correct+horse+battery+staple+grav", "[REDACTED]"},
		{login, login, "[REDACTED...avel]"},
		{seed, "abandon ability able about above absent", "[REDACTED]"},
		{seed, seed[:len(seed)-2], "[REDACTED]\n[REDACTED]"},
		{seed, strings.ReplaceAll(seed[1:], "\n", " "), "[REDACTED] [REDACTED] "},
		{strings.ReplaceAll(seed, "\n", "\r\n"), seed[1 : len(seed)-2], "[REDACTED]\n[REDACTED]"},
		{mixed, "user=correct-horse-battery-stapl", "[REDACTED]"},
		{"anna\ngravel: mango battery: staple", "gravel: mango battery: stapl", "[REDACTED]"},
	} {
		if got, _ := maskText(keyOf(c.value), "it is "+c.in+";"); got.String() != "it is "+c.want+";" {
			t.Errorf("%q: %q became %q", c.value, c.in, got)
		}
	}
}

// TestHolePartsLeaveOrdinaryText: what such values have in common with ordinary text stays.
func TestHolePartsLeaveOrdinaryText(t *testing.T) {
	t.Parallel()
	for value, texts := range map[string][]string{
		"gravel.mango.battery.staple.horse":           {"gravel.mango", "a horse", "battery.staple"},
		"gravel:mango:battery:staple:horse":           {"mango", "staple:horse", "a horse"},
		"anna\ncorrect horse battery staple gravel":   {"anna", "correct horse", "the battery", "gravel"},
		"reporting_service\ncorrect horse battery st": {"reporting_service", "horse battery"},
		"reporting_service:kP9sZx81qLmN":              {"reporting_service", "reporting_service:"},
		"reporting_svc:kP9sZx8":                       {"reporting_svc:", "reporting_svc"},
		"anna.example@example-company.com:kP9:sZx81":  {"anna.example@example-company.com"},
		"warehouse.internal.example-company.com":      {"reports.internal.example-company.com"},
		"warehouse.internal.example-company.com:5432": {"reports.internal.example-company.com:5432"},
		"reporting.service@example-company.com":       {"somebody@example-company.com"},
		"db.prod.svc.cluster.local":                   {"api.prod.svc.cluster.local"},
		"192.168.100.200":                             {"192.168.100.20", "192.168.100.201"},
		"2001:db8:aaaa:bbbb::1":                       {"2001:db8:aaaa:bbbb::2"},
		"https://hooks.example.com/services/incoming": {"https://hooks.example.com/services/"},
		"apiVersion: v1\nkind: Config\ncurrent-context: production-cluster\n": {"current-context: production-cluster",
			"kind: Config"},
		"bypass: compass-direction\nuser: anna\n": {"compass-direction"},
	} {
		for _, text := range texts {
			if got, n := maskText(keyOf(value), "it is "+text+", so\n"); n != 0 {
				t.Errorf("%q: %q became %q", value, text, got)
			}
		}
	}
}

// TestHoleManyFields: of a value with more fields than all forms are looked for of, the others are masked as
// they are, whether a script holds it or not.
func TestHoleManyFields(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	for i := range 2 * 500 {
		fmt.Fprintf(&many, "API_TOKEN_%d=%05dx9KmQ2vT7pLw\n", i, i)
	}
	for _, held := range []secrets.Held{secrets.ByScript, secrets.ByAnother} {
		r := New([]secrets.Resolved{{Key: "KEY", Secret: app.NewSecret(many.String()), Held: held}})
		for _, field := range []string{"00499x9KmQ2vT7pLw", "00500x9KmQ2vT7pLw", "00999x9KmQ2vT7pLw"} {
			if got, n := maskText(r, "bad key: "+field+" (see log)"); n != 1 || strings.Contains(got.String(), field) {
				t.Errorf("%s, held %d: %q", field, held, got)
			}
		}
	}
}

// TestHoleFieldThatLooksRandom: what was taken for a word before its name was read was no field any more, so
// the live view missed it in base64, also in lines.
func TestHoleFieldThatLooksRandom(t *testing.T) {
	t.Parallel()
	for _, field := range []string{"3848736d4d746c42364b6b6555596642", "k3V8x1q7W5z2M9n4B6c0"} {
		for _, value := range []string{`"app:` + field + `"`, "https://h.example/" + field + "\ntoken: " + field + "\n",
			"Authorization: GenieKey " + field} {
			r := keyOf(value)
			for _, between := range []string{"", "\n"} {
				encoded := base64.StdEncoding.EncodeToString([]byte(`{"k": "` + field + `"}`))
				text := "412  " + encoded[:20] + between + encoded[20:] + ") and on\n"
				for at := range text {
					if got, n := stream(t, r, text[:at], text[at:]); n != 1 || strings.Contains(got, encoded[20:40]) {
						t.Fatalf("%s, %q: live %q, %d hits", value, between, got, n)
					}
				}
			}
		}
	}
}

// What a value decodes to was masked nowhere: a cookie as it is meant, the login in
// base64, what follows a scheme.
func TestHoleG10Readings(t *testing.T) {
	t.Parallel()
	login := base64.StdEncoding.EncodeToString([]byte("anna:correcthorse9battery"))
	for name, c := range map[string]struct{ value, text string }{
		"cookie": {"s%3AaBcDeFgHiJkLmNoP.qRsTuVwXyZ0123456789%2BabcdEFGH%3D", "s:aBcDeFgHiJkLmNoP.qRsTuVwXyZ0123456789+abcdEFGH="},
		"base64": {login, "correcthorse9battery"}, "Basic": {"Basic " + login, "correcthorse9battery"},
		"Bearer": {"Bearer aBcDeFgHiJkLmNoPqRsTuVwXyZ01", "aBcDeFgHiJkLmNoPqRsTuVwXyZ01"},
		"SSWS":   {"SSWS 00aBcDeFgHiJkLmNoPqRs", "00aBcDeFgHiJkLmNoPqRs"},
		"quoted": {`"aBcDeFgHiJkLm\"NoPqRs"`, `aBcDeFgHiJkLm"NoPqRs`},
	} {
		for mode, v := range map[string]secrets.Resolved{"injected": {}, "sealed": {Placeholder: "airlock_sealed_0a1b2c3d4e5f"},
			"superseded": {Held: secrets.ByHosts}} {
			v.Key, v.Secret = "KEY", app.NewSecret(c.value)
			if got, hits := New([]secrets.Resolved{v}).Text("it is " + c.text + "\n"); hits.Total() != 1 || strings.Contains(got.String(), c.text[3:]) {
				t.Errorf("%s, %s: %q, %+v", name, mode, got, hits)
			}
		}
	}
}

// Values of other letters than those of ASCII were shown in title case, and those of short lines with
// other line breaks.
func TestHoleG10CaseAndLines(t *testing.T) {
	t.Parallel()
	const lines = "short line1\nshort line2\nshort 3"
	for value, texts := range map[string][]string{
		"пароль-секрет-длинный": {"Пароль-Секрет-Длинный", "пАРОЛЬ-секРЕТ-длинный"},
		"Пароль-Секрет-Длинный": {"пароль-секрет-длинный", "ПАРОЛЬ-секрет-длинный"},
	} {
		for _, text := range texts {
			if got, hits := of(value).Text("it is " + text); hits.Total() != 1 || got.String() != "it is [REDACTED]" {
				t.Errorf("%q: %q", text, got)
			}
		}
	}
	for _, own := range []string{"\n", "\r\n"} {
		for _, between := range []string{"\n", "\r\n", "<br>", "<br/>\n", "<br />\r\n", " ", `\n`, `\r\n`} {
			value := secrets.Resolved{Key: "KEY", Secret: app.NewSecret(strings.ReplaceAll(lines, "\n", own)), Held: secrets.ByAnother}
			text := strings.ReplaceAll(lines, "\n", between)
			if got, hits := New([]secrets.Resolved{value}).Text("it is " + text); hits.Total() == 0 || strings.Contains(got.String(), "short") {
				t.Errorf("%q for %q: %q", between, own, got)
			}
		}
	}
}

// TestHoleTwoCapitals: in capitals, two letters stand for ß.
func TestHoleTwoCapitals(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"GRÜSSE-AN-PÄSSWÖRD-Ñ9X", "GRÜßE-AN-PÄSSWÖRD-Ñ9X"} {
		if got, n := keyOf("Grüße-an-pässwörd-ñ9x").Text("it is " + text); len(n) == 0 || strings.Contains(got.String(), "PÄSS") {
			t.Errorf("%s became %q", text, got)
		}
	}
}

// structured are values in the formats that people keep, each with one secret in it.
func structured(secret string) map[string]string {
	return map[string]string{
		"URL":           "postgresql://app:" + secret + "@db.example:5432/main",
		"DSN":           "host=db.example user=app password=" + secret + " sslmode=require",
		"ADO":           "Server=db.example;Uid=app;Pwd=" + secret + ";",
		".env":          "REGION=eu-west-1\nDB_PASSWORD=" + secret + "\nDB_HOST=db.example\n",
		"INI":           "[db]\nuser = app\npassword = " + secret + "\nhost = db.example\n",
		"YAML":          "apiVersion: v1\nusers:\n- name: prod\n  user:\n    token: " + secret + "\n    host: db.example\n",
		"JSON":          `{"user": "app", "password": "` + secret + `", "host": "db.example"}`,
		"user:password": "app:" + secret,
	}
}

// TestFieldsOfValues: what is secret in a value is masked by itself in every channel and encoding;
// what isn't, stays.
func TestFieldsOfValues(t *testing.T) {
	t.Parallel()
	const secret = "Tr0ub4dor-9x"
	for name, value := range structured(secret) {
		r := of(value)
		for form, text := range map[string]string{"as it is": secret, "quoted": "'" + secret + "'",
			"base64": base64.StdEncoding.EncodeToString([]byte("app:" + secret)), "hex": hex.EncodeToString([]byte(secret))} {
			line := "user app on the host db.example (" + text + ")\n"
			result, err := json.Marshal(map[string]any{"text": line, line: []string{line}})
			if err != nil {
				t.Fatal(err)
			}
			out, err := r.Execution(Execution{Stdout: Output{Raw: []byte(line)}, Stderr: Output{Raw: []byte(line)},
				Error: line, Result: result, Network: []string{line}})
			if err != nil {
				t.Fatal(err)
			}
			prompt, hits := r.Text(line)
			out.Hits["prompt"] = hits
			for channel, shown := range map[string]string{"stdout": out.Stdout.String(), "stderr": out.Stderr.String(),
				"error": out.Error.String(), "result": out.Result.String(), "network": out.Network[0].String(),
				"prompt": prompt.String()} {
				if strings.Contains(shown, strings.Trim(text, "'")) || out.Hits[channel].Total() == 0 ||
					out.Hits[channel][0].Name != "A" || !strings.Contains(shown, "user app on the host db.example (") {
					t.Errorf("%s, %s: %s has %q, %+v", name, form, channel, shown, out.Hits[channel])
				}
			}
		}
		if live, n := stream(t, r, "so "+secret[:3], secret[3:]+" is it"); n != 1 || live != "so [REDACTED] is it" {
			t.Errorf("%s, live: %q", name, live)
		}
	}
}

// TestOrdinaryLinesOfValues: what is plainly not secret in a value is not masked on its own.
func TestOrdinaryLinesOfValues(t *testing.T) {
	t.Parallel()
	certificate := "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJRTES\n" +
		"-----END CERTIFICATE-----"
	values := structured("Tr0ub4dor-9x")
	values["certificates"] = certificate + "\n-----BEGIN PRIVATE KEY-----\n" +
		"k3V8x1q7W5z2M9n4B6c0k3V8x1q7W5z2M9n4B6c0k3V8x1q7W5z2M9n4B6c0abCD\n-----END PRIVATE KEY-----\n"
	for name, value := range values {
		for _, text := range []string{"apiVersion: v1\n", "- name: prod\n", "REGION=eu-west-1\n", "[db]\n", "user = app\n",
			"db.example", certificate} {
			if got, n := maskText(of(value), text); n > 0 {
				t.Errorf("%s: %q became %q", name, text, got)
			}
		}
		table := `[["apiVersion: v1",1],["- name: prod",2]]`
		if got, n, err := jsonOf(of(value), []byte(table)); n > 0 || err != nil {
			t.Errorf("%s: a table became %s, %v", name, got, err)
		}
	}
}

// TestFieldsThatScriptsDontHold: of a sealed value only long fields count, or a script could find
// short ones by what is masked.
func TestFieldsThatScriptsDontHold(t *testing.T) {
	t.Parallel()
	for secret, masked := range map[string]bool{"Tr0ub4dor-9": false, "Tr0ub4dor-9x": true} {
		for name, value := range structured(secret) {
			r := New([]secrets.Resolved{{Key: "A", Secret: app.NewSecret(value), Placeholder: "airlock_sealed_0a1b2c3d4e5f"}})
			got, hits := r.Text("so " + secret + " is it, " + secret[:11])
			if want := "so [REDACTED] is it, " + secret[:11]; masked && got.String() != want || !masked && hits != nil {
				t.Errorf("%s: %q, %+v", name, got, hits)
			}
		}
	}
}
