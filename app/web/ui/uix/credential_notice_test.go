package uix

import (
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestCredentialNotice(t *testing.T) {
	t.Parallel()
	const strong = "kP9s-Zx8-long-enough-1"
	for _, c := range []struct {
		mode    app.Mode
		version int
		value   string
		want    string
	}{
		{app.ModeSealed, 0, "", "credential-empty"},
		{app.ModeSealed, 1, strong, "credential-added"},
		{app.ModeSealed, 1, "", "credential-added"},
		{app.ModeSealed, 1, strong + "ä", "credential-wide"},
		{app.ModeInjected, 1, strong + "ä", "credential-added"},
		{app.ModeInjected, 1, "1234", "credential-weak"},
		{app.ModePlain, 1, "1234", "credential-added"},
		{app.ModeSealed, 1, "Bearer " + strong, "credential-scheme"},
		{app.ModeInjected, 1, "postgres://app:" + strong + "@db/x", "credential-parts"},
		{app.ModeInjected, 1, "apiVersion: v1\nkind: Config\n", "credential-no-parts"},
		{app.ModePlain, 1, "apiVersion: v1\nkind: Config\n", "credential-added"},
	} {
		got := CredentialNotice(app.Credential{Mode: c.mode, Version: c.version}, app.NewSecret(c.value), "credential-added")
		if got != c.want || notices[got] == "" {
			t.Errorf("%s, version %d, %q: %q", c.mode, c.version, c.value, got)
		}
	}
}
