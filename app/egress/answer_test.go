package egress

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
