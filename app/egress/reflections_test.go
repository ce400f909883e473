package egress

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/swap"
)

// reflected returns what a script gets from a host that is sent a value as Basic credentials and
// answers with what answer makes of it.
func reflected(t *testing.T, value string, answer func(value string) string) string {
	t.Helper()
	l := newLab(t)
	c := credential(t, "api.test")
	c.Value = app.NewSecret(value)
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, r *http.Request) {
		sent, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(r.Header.Get("Authorization"), "Basic "))
		_, _ = io.WriteString(w, answer(string(sent)))
	})
	s := l.gateway().Session(Grant{Hosts: allow(t, "api.test"), Sealed: []swap.Credential{c}}, nil)
	t.Cleanup(s.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://api.test/", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(testPlaceholder)))
	_, body := l.do(l.client(s), r)
	return body
}

// A validator of JSON Schema names a property by a JSON Pointer, in which a slash is ~1.
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
