package redact

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/encodings"
)

// reprlib is what Python's reprlib.repr shows of a text of 29 characters or more.
func reprlib(text string) string {
	runes := []rune(text)
	return "'" + string(runes[:12]) + "..." + string(runes[len(runes)-13:]) + "'"
}

func keyOf(value string) *Redactor { return New([]Value{{Name: "KEY", Secret: app.NewSecret(value)}}) }

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
			"reprlib.repr":   reprlib(k),
		} {
			want := maskPlain
			switch input {
			case "reprlib.repr":
				want = "'" + want + "'"
			case `k[:20] + "..."`:
				want += "..."
			}
			r := keyOf(k)
			clean, hits := r.Text("it is " + shown + "\n")
			if len(hits) != 1 || hits[0] != (Hit{Name: "KEY", Encoding: "part", Count: 1}) ||
				clean.String() != "it is "+want+"\n" {
				t.Errorf("%s, %s: %q, %v", kind, input, clean, hits)
			}
			if got, n := stream(t, r, strings.Split("it is "+shown+"\n", "")...); got != clean.String() || n != 1 {
				t.Errorf("%s, %s: live %q", kind, input, got)
			}
			if asked, hits := r.After(nil, shown); hits.Total() != 1 || asked.String() != want {
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
	const (
		key   = "x81LmN4vT7wkP9sZxQ2rY6uJ3hB5nC0dE1fG8aKo"
		short = "x81LmN4vT7wkP9sZ" // 10 characters of it are 60 %
	)
	for name, c := range map[string]struct{ value, in, want string }{
		"16 characters":             {key, "-" + key[7:23] + "-", "-[REDACTED]-"},
		"15 characters":             {key, "-" + key[7:22] + "-", "-" + key[7:22] + "-"},
		"16 at the end":             {key, key[24:], "[REDACTED]"},
		"60 % of a short one":       {short, "-" + short[3:13] + "-", "-[REDACTED]-"},
		"less than 60 %":            {short, "-" + short[3:12] + "-", "-" + short[3:12] + "-"},
		"all of it shows its end":   {key, key + key[:20], "[REDACTED...8aKo][REDACTED]"},
		"two parts side by side":    {key, key[:18] + " " + key[4:30], "[REDACTED] [REDACTED]"},
		"a beginning and an end":    {key, key[:8] + "…" + key[32:], "[REDACTED]"},
		"stars between":             {key, key[:10] + "******" + key[30:], "[REDACTED]"},
		"too short a beginning":     {key, key[:7] + "..." + key[32:], key[:7] + "..." + key[32:]},
		"far apart":                 {key, key[:10] + "*********" + key[30:], key[:10] + "*********" + key[30:]},
		"words between":             {key, key[:10] + " to " + key[30:], key[:10] + " to " + key[30:]},
		"an end before a beginning": {key, key[30:] + "..." + key[:10], key[30:] + "..." + key[:10]},
		"the same part twice":       {key, key[:10] + "..." + key[:10], key[:10] + "..." + key[:10]},
		"in base64": {key, base64.StdEncoding.EncodeToString([]byte("user:" + key[1:])),
			"[REDACTED]"},
		"reversed":                       {key, encodings.Reverse(key[1:]), "[REDACTED]"},
		"a word that the value has":      {"sunshine99", "sunshine, the sunshine", "sunshine, the sunshine"},
		"a long word that the value has": {"thermostatwelcome", "thermostat welcome", "thermostat welcome"},
		"a row of one character":         {"x81L================4vT7wkP9sZxQ2", "================", "================"},
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
		"k[::2]":            second,
		"names":             "LATIN SMALL LETTER X, DIGIT EIGHT, DIGIT ONE, LATIN CAPITAL LETTER L, LATIN SMALL LETTER M",
		"base58":            "2NEpo7TZRRrLZSi2U1xVtYkHkEyzRGmAVdLqX3d4tJ8WbGmPcZrVnF9u",
		"fifteen":           k[:15],
		"seven and seven":   k[:7] + "..." + k[33:],
		"groups of seven":   strings.ReplaceAll(groups, "|", " and "),
		"in another letter": strings.ToLower(k)[1:],
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
	for name, v := range map[string]Value{
		"sealed": {Name: "KEY", Secret: app.NewSecret(k), Placeholder: "airlock_sealed_0a1b2c3d4e5f"},
		"lent":   {Name: "KEY", Secret: app.NewSecret(k), Unheld: true},
	} {
		r := New([]Value{v, {Name: "OTHER", Secret: app.NewSecret("8f14e45fceea167a5a36dedd4bea2543")}})
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
		[]string{"kP9sZx81qLmN4vT7", "kP9sZx81qLm..", "reporting_service:kP9sZx81qLmN4vT7@db.internal"},
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
		values, n := []Value{}, rapid.SampledFrom([]int{17, 24, 40, 64, 3000}).Draw(r, "length")
		for i := range rapid.IntRange(1, 4).Draw(r, "values") {
			values = append(values, Value{Name: string(rune('A' + i)), Secret: app.NewSecret(letters(n))})
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
		if least := (n*6 + 9) / 10; length >= maxFragment || length >= least && hardToGuess(part) {
			want = before + maskPlain + behind
		}
		whole := red.machine.render(text, red.machine.places([]byte(text), true, false), new(tally))
		if whole != want {
			r.Fatalf("%d of %d characters: %q becomes %q", length, n, text, whole)
		}
		if got, _ := stream(t, red, cut(r, text)...); got != want {
			r.Fatalf("live %q becomes %q", text, got)
		}
	})
}

// TestHoleM3StreamIsText: the cuts make no difference to parts beside each other, to values that
// repeat themselves, and to values that have much in common.
func TestHoleM3StreamIsText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		letters := rapid.SampledFrom([]rune(rapid.SampledFrom([]string{"abcde", "abcd1", "aé€b1", "01234",
			"abcde.\n"}).Draw(r, "alphabet")))
		secrets := rapid.SliceOfN(rapid.StringOfN(letters, 9, 50, -1), 1, 3).Draw(r, "secrets")
		secrets = append(secrets, secrets[0]+secrets[0], "prefix-"+secrets[0])
		red := of(secrets...)
		var b strings.Builder
		for range rapid.IntRange(1, 6).Draw(r, "parts") {
			runes := []rune(rapid.SampledFrom(secrets).Draw(r, "secret"))
			from := rapid.IntRange(0, len(runes)-1).Draw(r, "from")
			b.WriteString(string(runes[from:rapid.IntRange(from, len(runes)).Draw(r, "to")]) +
				rapid.SampledFrom([]string{"", ".", "...", "\n", "x", "*********"}).Draw(r, "between"))
		}
		text := b.String()
		var hits tally
		want := red.machine.render(text, red.machine.places([]byte(text), true, false), &hits)
		if got, n := stream(t, red, cut(r, text)...); got != want || n != hits.hits().Total() {
			r.Fatalf("Stream: %q, %d\nwant    %q, %v\nof      %q", got, n, want, hits, text)
		}
	})
}

// TestHoleM3TimeIsLinear: no text makes looking for parts slow, not even one that is full of what
// parts begin with, or of parts that are almost long enough.
func TestHoleM3TimeIsLinear(t *testing.T) {
	var prefixed []string
	for _, s := range randomSecrets(100) {
		prefixed = append(prefixed, "vendor-live-key-"+s)
	}
	key, again := randomSecrets(1)[0], strings.Repeat("abcde12345", 600)
	for name, c := range map[string]struct {
		secrets []string
		text    string
	}{
		"what a hundred begin with": {prefixed, "vendor-live-ke"},
		"almost a part":             {[]string{key}, key[:15] + " "},
		"pairs of parts":            {[]string{key}, key[:9] + "..." + key[30:] + " "},
		"words":                     {[]string{"thermostatwelcome1"}, "thermostatwe "},
		"repeats itself":            {[]string{again}, again[:10]},
		"almost repeats itself":     {[]string{again}, again[:30] + "x"},
	} {
		r := of(c.secrets...)
		cost := func(n, times int) time.Duration {
			text := []byte(strings.Repeat(c.text, n/len(c.text)))
			best := time.Hour
			for range 3 {
				start := cpu()
				for range times {
					r.machine.places(text, true, false)
				}
				best = min(best, cpu()-start)
			}
			return best
		}
		if small, large := cost(1<<13, 16), cost(1<<17, 1); large > 4*small+time.Millisecond {
			t.Errorf("%s: %s for 16 short texts, then %s for one as long as all", name, small, large)
		}
	}
}

// TestHoleM3MemoryIsBounded: the parts of the longest value take no more than that as a whole.
func TestHoleM3MemoryIsBounded(t *testing.T) {
	t.Parallel()
	secret := app.NewSecret(randomSecret(rand.New(rand.NewPCG(5, 6)), app.MaxValue))
	whole, parts := New([]Value{{Secret: secret, Unheld: true}}).machine, New([]Value{{Secret: secret}}).machine
	states, seeds, bits := parts.States()-whole.States(), len(parts.endings)-len(whole.endings),
		64*len(parts.fragments.grams)
	if seeds < app.MaxValue/16 || seeds > app.MaxValue/8 || states > whole.States() || bits > 256*app.MaxValue {
		t.Errorf("parts take %d states, %d seeds and %d bits; the value as a whole takes %d states", states, seeds,
			bits, whole.States())
	}
}
