package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

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
		short = "anna\nkP9sZx81qLm4"
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
		{short, "kP9sZx81qLm", "[REDACTED]"},
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
	for i := range 2 * maxFields {
		fmt.Fprintf(&many, "API_TOKEN_%d=%05dx9KmQ2vT7pLw\n", i, i)
	}
	for _, unheld := range []bool{false, true} {
		r := New([]Value{{Name: "KEY", Secret: app.NewSecret(many.String()), Unheld: unheld}})
		for _, field := range []string{"00499x9KmQ2vT7pLw", "00500x9KmQ2vT7pLw", "00999x9KmQ2vT7pLw"} {
			if got, n := maskText(r, "bad key: "+field+" (see log)"); n != 1 || strings.Contains(got.String(), field) {
				t.Errorf("%s, unheld %t: %q", field, unheld, got)
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
