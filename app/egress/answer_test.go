package egress

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

// reflected returns a script's answer from a host that got a value as Basic credentials. answer
// makes the answer.
func reflected(t *testing.T, value string, answer func(value string) string) string {
	t.Helper()
	sent := "Basic " + base64.StdEncoding.EncodeToString([]byte(testPlaceholder))
	return answered(t, value, "Authorization", sent, func(r *http.Request) string {
		sent, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Basic "))
		return answer(string(sent))
	})
}

// answered returns a script's answer from a host that got a header with a value's placeholder.
func answered(t *testing.T, value, header, sent string, answer func(*http.Request) string) string {
	t.Helper()
	l := newLab(t)
	c := credential(t, "api.test")
	c.Secret, c.Headers = app.NewSecret(value), []string{header}
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, answer(r))
	})
	s := l.gateway().Session(Grant{Hosts: allow(t, "api.test"), Sealed: []secrets.Resolved{c}}, nil)
	t.Cleanup(s.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set(header, sent)
	_, body := l.do(l.client(s), r)
	return body
}

// JSON Schema validators name properties by JSON Pointer, which writes a slash as ~1.
func TestHoleG9JSONPointer(t *testing.T) {
	const value = "q7/Vt+9Lr2Xc4Zb8~Nm1Kp6Hs3Wd5Yf0Gj=="
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("s.json", map[string]any{
		"additionalProperties": map[string]any{"type": "string"}}); err != nil {
		t.Fatal(err)
	}
	schema := compiler.MustCompile("s.json")
	body := reflected(t, value, func(value string) string { return schema.Validate(map[string]any{value: 1}).Error() })
	if !strings.Contains(body, "at '/"+testPlaceholder+"'") {
		t.Errorf("%q", body)
	}
}

// A host that shows the password of Basic by itself.
func TestHoleG9PasswordOfBasic(t *testing.T) {
	const value = "admin:G{7xKq9$vLm2@Rt5#Wz"
	body := reflected(t, value, func(value string) string {
		user, password, _ := strings.Cut(value, ":")
		out, _ := json.Marshal(map[string]string{"user": user, "password": password})
		return string(out)
	})
	if body != `{"password":"`+testPlaceholder+`","user":"admin"}` {
		t.Errorf("%q", body)
	}
}

// A host that reads Basic as Latin-1, as servlets do, and answers in UTF-8.
func TestHoleG9ReadAsLatin1(t *testing.T) {
	body := reflected(t, "admin:pässwörd-sehr-geheim-42", func(value string) string {
		var wide []rune
		for _, b := range []byte(value) {
			wide = append(wide, rune(b))
		}
		out, _ := json.Marshal(string(wide))
		return string(out)
	})
	if body != `"`+testPlaceholder+`"` {
		t.Errorf("%q", body)
	}
}

// Python's textwrap breaks a long token without a blank behind the break.
func TestHoleG9Wrapped(t *testing.T) {
	const value = "github_pat_11ABCDEFG0aZbYcXdWeVfUgT_hSiRjQkPlOmNnMoLpKqJrIsHtGuFvEwDxCyBzA0192837465qwerty"
	for name, program := range map[string]string{
		"fill":     "print(textwrap.fill('bad token ' + text))",
		"indented": "print(textwrap.fill('bad token ' + text, 60, subsequent_indent=' ' * 30))",
		"JSON":     "print(json.dumps({'error': textwrap.fill('bad token ' + text)}))",
	} {
		body := reflected(t, value, func(value string) string {
			c := exec.CommandContext(t.Context(), "python3", "-c",
				"import json, sys, textwrap\ntext = sys.stdin.read()\n"+program)
			c.Stdin = strings.NewReader(value)
			out, err := c.Output()
			if err != nil {
				t.Error(err)
			}
			return string(out)
		})
		if !strings.Contains(body, testPlaceholder) || strings.Contains(body, value[:20]) ||
			strings.Contains(body, value[len(value)-20:]) {
			t.Errorf("%s: %q", name, body)
		}
	}
}

// Frameworks decode cookies: a value sealed in its written form came back decoded.
func TestHoleG10DecodedCookie(t *testing.T) {
	const cookie = "s:aBcDeFgHiJkLmNoPqRsTuVwXyZ01.qRsTuVwXyZ0123456789+abcd/xyz="
	for name, value := range map[string]string{"once": url.QueryEscape(cookie), "twice": url.QueryEscape(url.QueryEscape(cookie))} {
		body := answered(t, value, "Cookie", "session="+testPlaceholder, func(r *http.Request) string {
			sent, err := r.Cookie("session")
			if err != nil {
				return err.Error()
			}
			decoded := sent.Value
			for strings.Contains(decoded, "%") {
				decoded, _ = url.QueryUnescape(decoded)
			}
			out, _ := json.Marshal(map[string]string{"session": decoded})
			return string(out)
		})
		if body != `{"session":"`+testPlaceholder+`"}` {
			t.Errorf("%s: %q", name, body)
		}
	}
}

// A value that is all of Basic's text came back decoded, and one with its scheme without it.
func TestHoleG10WholeAuthorization(t *testing.T) {
	basic := base64.StdEncoding.EncodeToString([]byte("anna:correcthorse9battery"))
	jwt := "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	for name, c := range map[string]struct{ value, sent string }{
		"base64":             {basic, "Basic " + testPlaceholder},
		"Basic and base64":   {"Basic " + basic, testPlaceholder},
		"Bearer":             {"Bearer aBcDeFgHiJkLmNoPqRsTuVwXyZ01", testPlaceholder},
		"a scheme of theirs": {"SSWS 00aBcDeFgHiJkLmNoPqRsTuVwXyZ01", testPlaceholder},
		"JWT":                {"Bearer " + jwt, testPlaceholder},
	} {
		var secret string
		body := answered(t, c.value, "Authorization", c.sent, func(r *http.Request) string {
			_, secret, _ = strings.Cut(r.Header.Get("Authorization"), " ")
			if _, password, ok := r.BasicAuth(); ok {
				secret = password
			}
			if name == "JWT" {
				secret = secret[strings.LastIndexByte(secret, '.')+1:]
			}
			return `{"secret":"` + secret + `"}`
		})
		if body != `{"secret":"`+testPlaceholder+`"}` || strings.Contains(secret, "airlock") {
			t.Errorf("%s: %q of %q", name, body, secret)
		}
	}
}

// Values that are quoted, escaped or in hex came back as programs read them.
func TestHoleG10OtherReadings(t *testing.T) {
	const plain = "aBcDeFgHiJkLm\nNoPqRsTuVwXyZ01"
	for name, value := range map[string]string{
		"quoted": strconv.Quote(plain), "escaped": strings.ReplaceAll(plain, "\n", `\n`), "hex": hex.EncodeToString([]byte(plain)),
		"base64url": base64.RawURLEncoding.EncodeToString([]byte(plain)), "in JSON": `{"user": "anna", "password": ` + strconv.Quote(plain) + "}",
	} {
		body := reflected(t, value, func(string) string { return "it is " + plain + "\n" })
		if body != "it is "+testPlaceholder+"\n" {
			t.Errorf("%s: %q", name, body)
		}
	}
}

// Lists of numbers that other than the usual signs separate, or that have names.
func TestHoleG10ListsThroughTLS(t *testing.T) {
	for _, value := range []string{"sk-live_51Hx/Q+zT7Kq9vLm2Rt5", "ключ-пароль-секрет"} {
		for _, form := range listForms() {
			var written string
			body := reflected(t, value, func(value string) string {
				written = listed(value, form)
				return "{" + written + "}"
			})
			if strings.Contains(body, written) || !strings.Contains(body, testPlaceholder) {
				t.Errorf("%s: %q", form.format, body)
			}
		}
	}
}

// A non-ASCII value came back in title case and as numbers of characters.
func TestHoleG10OtherThanASCIIThroughTLS(t *testing.T) {
	const value = "admin:пароль-секрет-длинный"
	var codes []string
	for _, c := range value {
		codes = append(codes, strconv.Itoa(int(c)))
	}
	for name, text := range map[string]string{
		"title": "Admin:Пароль-Секрет-Длинный", "mixed": "Admin:пАРОЛЬ-секРЕТ-ДЛинный", "percent": url.QueryEscape("Пароль-Секрет-Длинный"),
		"code points": strings.Join(codes, ", "), "code points, colons": strings.Join(codes, ":"),
	} {
		if body := reflected(t, value, func(string) string { return `["` + text + `"]` }); body != `["`+testPlaceholder+`"]` {
			t.Errorf("%s: %q", name, body)
		}
	}
}

// A value of several short lines came back with other line breaks than its own.
func TestHoleG10ShortLines(t *testing.T) {
	lines := []string{"short line1", "  short line2", "short 3"}
	for _, own := range []string{"\n", "\r\n", `\n`} {
		for _, between := range []string{"\n", "\r\n", "\r", "\n\n", "<br>", "<br />\n", " ", `\n`, `\r\n`, "&#10;", ""} {
			text := strings.Join(lines, between)
			if between == " " {
				text = strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
			}
			value := strings.Join(lines, own)
			body := answered(t, value, "X-Api-Key", "none", func(*http.Request) string { return "<p>" + text + "</p>\n" })
			if strings.Contains(body, text) || !strings.Contains(body, testPlaceholder) {
				t.Errorf("%q for %q: %q", between, own, body)
			}
		}
	}
}

type listForm struct{ format, between string }

func listForms() []listForm {
	return []listForm{
		{"%[2]d", ":"}, {"%[2]d", " : "}, {"0x%02[2]x", ", "}, {"0x%02[2]X", ","},
		{`"%d":"%02x"`, ","}, {`"%d":%d`, ","}, {"%d => 0x%02x", ", "}, {"%d => '%02x'", ",\n  "}, {"%d: 0x%02x", "\n"},
		{"[%d] => %d", "\n    "}, {"[%d] => %02x", "\n    "},
	}
}

func listed(value string, form listForm) string {
	var list []string
	for i, b := range []byte(value) {
		list = append(list, fmt.Sprintf(form.format, i, b))
	}
	return strings.Join(list, form.between)
}

// echo is a host that repeats requests through an encoder.
func (l *lab) echo(encode func(string) string) (*Session, func(value string) (string, error)) {
	l.t.Helper()
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, encode(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")))
	})
	s := l.session(Limits{}, []string{"api.test"}, "api.test")
	client := l.client(s)
	return s, func(sent string) (string, error) {
		r, err := http.NewRequestWithContext(l.t.Context(), http.MethodGet, "https://api.test/", nil)
		if err != nil {
			return "", err
		}
		r.Header.Set("Authorization", "Bearer "+sent)
		resp, err := client.Do(r)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return string(body), err
	}
}

// Usual serializers gave a sealed value back: Gson writes = as \u003d, Go's html/template + as
// &#43;.
func TestHoleH1SerializersGiveNoValueBack(t *testing.T) {
	credential := credential(t, "api.test")
	const value = "q7/Vt+9Lr2Xc4Zb8Nm1Kp6Hs3Wd5Yf0Gj=="
	credential.Secret = app.NewSecret(value)
	var encode func(string) string
	l := newLab(t)
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, encode(r.Header.Get("X-Api-Key")))
	})
	s := l.gateway().Session(Grant{Hosts: allow(t, "api.test"), Sealed: []secrets.Resolved{credential}}, nil)
	t.Cleanup(s.Close)
	client := l.client(s)
	for name, e := range map[string]func(string) string{
		"Gson":          strings.NewReplacer("=", `\u003d`, "+", "+", "/", "/").Replace,
		"html/template": strings.NewReplacer("+", "&#43;").Replace,
		"mixed":         strings.NewReplacer("+", "&#43;", "=", `\x3d`, "/", "%2f", "q", `\161`, "V", "&#x56;").Replace,
	} {
		encode = func(s string) string { return `{"k":"` + e(s) + `"}` }
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.test/", nil)
		r.Header.Set("X-Api-Key", testPlaceholder)
		if _, body := l.do(client, r); body != `{"k":"`+testPlaceholder+`"}` {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// What lay one layer deep, and what lacked a character, came back as it was.
func TestHoleM1OneLayerDeep(t *testing.T) {
	std := base64.StdEncoding.EncodeToString
	wrap := func(text string, n int, br string) string {
		var parts []string
		for ; len(text) > n; text = text[n:] {
			parts = append(parts, text[:n])
		}
		return strings.Join(append(parts, text), br)
	}
	for name, encode := range map[string]func(string) string{
		"base64 in lines": func(s string) string { return wrap(std([]byte("id:"+s)), 12, "\r\n") },
		"hex":             func(s string) string { return wrap(hex.EncodeToString([]byte(s)), 2, ":") },
		"quoted":          func(s string) string { return strings.ReplaceAll(wrap(s, 9, "=\r\n"), "_", "=5F") },
		"UTF-32":          func(s string) string { return wrap(s, 1, "\x00\x00\x00") },
		"cut":             func(s string) string { return s[:len(s)-1] },
		"beginning cut":   func(s string) string { return s[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			_, ask := newLab(t).echo(encode)
			if body, err := ask(testPlaceholder); err != nil || !strings.Contains(body, testPlaceholder) {
				t.Errorf("%q, %v", body, err)
			}
		})
	}
}

// Go reads a folded header line with a space, so a value's halves were not recognised.
func TestHoleG6FoldedHeaders(t *testing.T) {
	const value = "github_pat_11ABCDEFG0aZbYcXdWeVfUgT_hSiRjQkPlOmNnMoLpKqJrIsHtGuFvEwDxCyBzA0192837465qwerty"
	const words = "correct horse battery staple of 42 words"
	std, digits := base64.StdEncoding.EncodeToString([]byte(value)), hex.EncodeToString([]byte(value))
	for name, c := range map[string]struct{ value, written string }{
		"as it is":          {value, value[:50] + "\r\n " + value[50:]},
		"thrice":            {value, value[:30] + "\r\n\t" + value[30:60] + " \r\n   " + value[60:]},
		"in base64":         {value, std[:76] + "\r\n " + std[76:]},
		"in hex":            {value, digits[:76] + "\r\n " + digits[76:]},
		"a value of words":  {words, words[:11] + "\r\n " + words[11:]},
		"words, at a space": {words, words[:13] + "\r\n" + words[13:]},
	} {
		l := newLab(t)
		config := l.tls("api.test")
		l.listen("api.test", 443, func(conn net.Conn) {
			encrypted := tls.Server(conn, config)
			if _, err := http.ReadRequest(bufio.NewReader(encrypted)); err == nil {
				_, _ = fmt.Fprintf(encrypted, "HTTP/1.1 200 OK\r\nX-Echo: k %s\r\nTrailer: X-Late\r\n"+
					"Transfer-Encoding: chunked\r\n\r\n0\r\nX-Late: k %[1]s\r\n\r\n", c.written)
			}
			_ = encrypted.Close()
		})
		credential := credential(t, "api.test")
		credential.Secret = app.NewSecret(c.value)
		s := l.gateway().Session(Grant{Hosts: allow(t, "api.test"), Sealed: []secrets.Resolved{credential}}, nil)
		resp, err := l.client(s).Get("https://api.test/")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		want := "k " + testPlaceholder
		for _, got := range []string{resp.Header.Get("X-Echo"), resp.Trailer.Get("X-Late")} {
			if got = strings.TrimRight(got, "="); got != want && got != "k "+hex.EncodeToString([]byte(testPlaceholder)) {
				t.Errorf("%s: %q", name, got)
			}
		}
		s.Close()
	}
}

// The box never gets a value, however its characters are written and the answer is cut.
// AIRLOCK_CASES is the number of answers.
func TestHoleH1AnyEscapeInAnyPieces(t *testing.T) {
	cases := 2000
	if n, err := strconv.Atoi(os.Getenv("AIRLOCK_CASES")); err == nil {
		cases = n
	}
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	l := newLab(t)
	var answer string
	var cuts []int
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, _ *http.Request) {
		from := 0
		for _, cut := range cuts {
			_, _ = io.WriteString(w, answer[from:cut])
			_ = http.NewResponseController(w).Flush()
			from = cut
		}
		_, _ = io.WriteString(w, answer[from:])
	})
	for n := 0; n < cases; {
		c := credential(t, "api.test")
		value := randomValue(r)
		c.Secret = app.NewSecret(sealedAs(r, value))
		s := l.gateway().Session(Grant{Hosts: allow(t, "api.test"), Sealed: []secrets.Resolved{c}}, nil)
		client := l.client(s)
		for range min(200, cases-n) {
			n++
			before, written, after := randomAround(r), randomEscapes(r, value), randomAround(r)
			answer = before + written + after
			cuts = cuts[:0]
			for at := 0; r.IntN(3) > 0 && at < len(answer); {
				at += r.IntN(len(answer) - at + 1)
				cuts = append(cuts, at)
			}
			resp, err := client.Get("https://api.test/")
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			shown := strings.Contains(string(body), testPlaceholder) ||
				strings.Contains(string(body), hex.EncodeToString([]byte(testPlaceholder)))
			if err != nil || !shown || strings.Contains(string(body), written) {
				t.Fatalf("seed %d, case %d: %q in %q cut at %v became %q, %v", seed, n, value, answer, cuts, body, err)
			}
		}
		client.CloseIdleConnections()
		s.Close()
	}
}

func randomValue(r *rand.Rand) string {
	alphabets := []string{"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/", "0123456789abcdef",
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", "abcXYZ019-_.~!$'()*,;:@&=<>\"\\%#?/+ "}
	alphabet := alphabets[r.IntN(len(alphabets))]
	value := make([]byte, 16+r.IntN(48))
	for i := range value {
		value[i] = alphabet[r.IntN(len(alphabet))]
	}
	value[0], value[len(value)-1] = 'q', 'Z' // blanks at the ends are no part of a value
	return string(value)
}

// sealedAs returns a value as a person may store it: plain, or as in a header.
func sealedAs(r *rand.Rand, value string) string {
	switch r.IntN(8) {
	case 0:
		return url.QueryEscape(value)
	case 1:
		return base64.StdEncoding.EncodeToString([]byte(value))
	case 2:
		return "Basic " + base64.StdEncoding.EncodeToString([]byte("anna:"+value))
	case 3:
		return strconv.Quote(value)
	}
	return value
}

func randomAround(r *rand.Rand) string {
	pieces := []string{"", "", `{"k":"`, `"}`, "%", `\`, `\u00`, "&#", "&", "=", "text ", "\n", "41", "x=", "<b>",
		"~", "_x", "$", "`", "^",
		"abcdef", `\\`, "%25"}
	return pieces[r.IntN(len(pieces))] + pieces[r.IntN(len(pieces))]
}

// randomEscapes writes half of the characters in usual escapes, then perhaps all in a layer.
func randomEscapes(r *rand.Rand, value string) string {
	var b strings.Builder
	br, layer := "", r.IntN(10)
	if breaks := []string{"\n", "\r\n", "\n    ", "<br>", "<br />\n", "=\r\n", "\n" + strings.Repeat(" ", 50)}; r.IntN(3) == 0 {
		br = breaks[r.IntN(len(breaks))]
	}
	if len(br) > 50 {
		layer = 9 // what indents lines is held back as it is, not encoded
	}
	for i, c := range []byte(value) {
		if i > 0 && c != ' ' && r.IntN(8) == 0 { // else what indents a line could not be told from the value
			b.WriteString(br)
		}
		ways := []string{
			fmt.Sprintf("%%%02X", c), fmt.Sprintf("%%%02x", c), fmt.Sprintf(`\u%04x`, c), fmt.Sprintf(`\u%04X`, c),
			fmt.Sprintf(`\x%02x`, c), fmt.Sprintf(`\%03o`, c), fmt.Sprintf("&#%d;", c),
			fmt.Sprintf("&#x%x;", c), fmt.Sprintf("&#x%X;", c), fmt.Sprintf("%%25%02X", c), fmt.Sprintf(`\\u%04x`, c),
			fmt.Sprintf("=%02X", c), fmt.Sprintf(`\u{%x}`, c), fmt.Sprintf("~%02X", c), fmt.Sprintf("$%02X", c),
			fmt.Sprintf("_x%04X_", c), fmt.Sprintf("&#%08d;", c),
		}
		if strings.IndexByte("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", c) < 0 {
			ways = append(ways, "`"+string(c), "^"+string(c))
		}
		if r.IntN(2) == 0 {
			b.WriteByte(c)
		} else {
			b.WriteString(ways[r.IntN(len(ways))])
		}
	}
	switch text := b.String(); layer {
	case 0:
		return base64.StdEncoding.EncodeToString([]byte(text))
	case 1:
		return hex.EncodeToString([]byte(text))
	case 2:
		return randomLines(r, base64.StdEncoding.EncodeToString([]byte("id:"+value)), 4, "\n", "\r\n", `\n`, `\r\n`, "\n    ",
			"\n            ")
	case 3:
		return randomLines(r, hex.EncodeToString([]byte(value)), 2, "\n", ":", " ", `\n`, ", ", "\n  ", "-")
	case 4:
		if r.IntN(2) == 0 {
			forms := listForms()
			return "[" + listed(value, forms[r.IntN(len(forms))]) + "]"
		}
		numbers := make([]string, len(value))
		for i := range numbers {
			numbers[i] = strconv.Itoa(int(value[i]))
		}
		// digits beside it would be of other numbers
		return "[" + strings.Join(numbers,
			[]string{",", ", ", ",\n  ", ",\n            ", `,\n  `, "%2C", "&#44;", " ", "|", ".", "/", "_"}[r.IntN(12)]) + "]"
	default:
		return text
	}
}

// randomLines puts breaks after multiples of unit.
func randomLines(r *rand.Rand, text string, unit int, breaks ...string) string {
	width, br := unit*(1+r.IntN(18)), breaks[r.IntN(len(breaks))]
	var parts []string
	for ; len(text) > width; text = text[width:] {
		parts = append(parts, text[:width])
	}
	return strings.Join(append(parts, text), br)
}
