package recovery_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

func TestVaultConfiguration(t *testing.T) {
	for env, want := range map[string]string{
		"VAULT_ADDR=https://vault.test":                                                  "VAULT_TOKEN",
		"VAULT_ADDR=vault.test VAULT_TOKEN=t":                                            "VAULT_ADDR",
		"VAULT_ADDR=https://vault.test VAULT_TOKEN=t VAULT_ROLE_ID=r":                    "only one",
		"VAULT_ADDR=https://vault.test VAULT_TOKEN=t VAULT_SKIP_VERIFY=true":             "VAULT_CACERT",
		"VAULT_ADDR=http://vault.test:8200 VAULT_TOKEN=t":                                "http:// to another machine",
		"VAULT_ADDR=https://vault.test VAULT_TOKEN=t VAULT_CLIENT_TIMEOUT=1h":            "VAULT_CLIENT_TIMEOUT",
		"VAULT_ADDR=https://vault.test VAULT_TOKEN=t VAULT_CACERT=/nowhere/ca.pem":       "/nowhere/ca.pem",
		"VAULT_ADDR=https://vault.test VAULT_TOKEN=t VAULT_TOKEN_FILE=/nowhere/token":    "not both",
		"VAULT_ADDR=https://vault.test VAULT_ROLE_ID=r VAULT_CLIENT_CERT=/nowhere/c.pem": "lient cert",
	} {
		_, err := config.Load(strings.Fields(env))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", env, err)
		}
	}
	for _, env := range []string{"VAULT_TOKEN=t",
		"VAULT_ADDR=https://vault.test VAULT_TOKEN=t VAULT_CLIENT_TIMEOUT=30 VAULT_SKIP_VERIFY=false " +
			"VAULT_NAMESPACE=team",
		"VAULT_ADDR=https://vault.test VAULT_TOKEN_FILE=/run/token",
		"VAULT_ADDR=https://vault.test VAULT_ROLE_ID=r VAULT_SECRET_ID_FILE=/run/secret VAULT_APPROLE_MOUNT=ci"} {
		if _, err := config.Load(strings.Fields(env)); err != nil {
			t.Errorf("%s: %v", env, err)
		}
	}
}
