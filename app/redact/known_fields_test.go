package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

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
