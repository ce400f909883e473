package fields

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

// TestExplain: a person is told which parts of a value count as secret, and never what they are.
func TestExplain(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		sample:                                     "",
		"gravel.mango.battery.staple.horse":        "",
		"anna:" + opaque:                           "",
		"db.example.com:5432/x":                    "nothing in this value",
		"db.internal.example.com":                  "nothing in this value",
		"Server=db;Uid=app;PWD={" + sample + ";x}": ": PWD; ",
		"anna\ncorrect horse battery staple\n":     ": lines and words that look random; ",
		"apiVersion: v1\nusers:\n- token: " + sample + "\n  client-key-data: " + opaque + "\n": ": token, client-key-data; ",
		"postgres://app:" + sample + "@db/x":                                                   ": password; ",
		pem("PRIVATE KEY"):                                                                     ": lines and words that look random; ",
		"apiVersion: v1\nkind: Config\n":                                                       "nothing in this value",
	} {
		got := Explain(app.NewSecret(value))
		if (got == "") != (want == "") || !strings.Contains(got, want) || strings.Contains(got, sample) ||
			strings.Contains(got, opaque) {
			t.Errorf("%.40s: %q", value, got)
		}
	}
}
