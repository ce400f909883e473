package repo_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/web/api"
	"github.com/computclaw/airlock/cmd/airlock/internal/admin"
	"github.com/computclaw/airlock/views/credentialview"
)

// Texts about the modes agree everywhere.
func TestModesAreToldTheSameEverywhere(t *testing.T) {
	manual, err := apidocs.Static()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := api.OpenAPI("test", "http://localhost:9090")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../../../../../docs/credentials.md")
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := credentialview.Credential(credentialview.CredentialPage{New: true,
		Typed: app.Credential{Mode: app.ModeSealed}}).Render(t.Context(), &page); err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{
		"GET /skill.md": manual, "GET /openapi.json": string(schema), "GET /airlock.pyi": string(guest.Stub()),
		"the credential's page": page.String(), "airlock admin": admin.Usage, "docs/credentials.md": string(guide),
	} {
		text = strings.ToLower(strings.Join(strings.Fields(text), " "))
		for mode, said := range map[app.Mode][]string{
			app.ModeSealed: {"placeholder"}, app.ModeInjected: {"the value itself"}, app.ModePlain: {"not secret", "not masked"},
		} {
			for _, phrase := range append(said, string(mode)) {
				if !strings.Contains(text, phrase) {
					t.Errorf("%s does not say %q of %s", where, phrase, mode)
				}
			}
		}
	}
}
