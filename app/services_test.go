package app

import (
	"strings"
	"testing"
)

func TestServicesAreKnownByTheNamesOfTheirKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"GITHUB_TOKEN": "api.github.com", "github_token": "api.github.com", "GH_TOKEN": "api.github.com",
		"STRIPE_SECRET_KEY": "api.stripe.com", "GITHUBTOKEN": "", "MY_GITHUB_TOKEN": "", "TOKEN": "", "": "",
	} {
		if s, ok := ServiceOf(key); s.Host != want || ok != (want != "") {
			t.Errorf("%s: %+v, %v", key, s, ok)
		}
	}
	for name, s := range services {
		h, err := ParseHost(s.Host)
		if err != nil || h.String() != s.Host || h.PublicSuffix() != "" || s.Path != "" && !strings.HasPrefix(s.Path, "/") {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

func TestNamesInjected(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"DB_PASSWORD": true, "PG_PASSWORD": true, "PGPASSWORD": true, "ORACLE_PASS": true, "DATABASE_URL": true,
		"APP_DB_PWD": true, "SMTP_PASSWORD": true, "JWT_SIGNING_KEY": true, "GITHUB_APP_PRIVATE_KEY": true,
		"DB_HOST": false, "API_PASSWORD": false, "GITHUB_TOKEN": false, "PASSWORD": false, "SERVICE_URL": false, "": false,
	} {
		if got := NamesInjected(key); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
}
