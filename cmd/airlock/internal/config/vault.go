package config

import (
	"errors"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault"
)

// vaultVariables are Vault's own names.
func vaultVariables() []Variable {
	return []Variable{
		text("VAULT_ADDR", "HashiCorp Vault ([docs](vault.md)), as `https://vault.example.com:8200`; `http://` on "+
			"this machine only",
			func(c *Config) *string { return &c.Vault.Address }),
		text("VAULT_NAMESPACE", "namespace", func(c *Config) *string { return &c.Vault.Namespace }),
		secretOrFile("VAULT_TOKEN", "token; Airlock reads the file at every login",
			func(c *Config) *app.Secret { return &c.Vault.Token }, func(c *Config) *string { return &c.Vault.TokenFile }),
		text("VAULT_ROLE_ID", "AppRole instead of a token", func(c *Config) *string { return &c.Vault.RoleID }),
		secretOrFile("VAULT_SECRET_ID", "its secret id; Airlock reads the file at every login",
			func(c *Config) *app.Secret { return &c.Vault.SecretID }, func(c *Config) *string { return &c.Vault.SecretIDFile }),
		text("VAULT_APPROLE_MOUNT", "mount of AppRole, if not `approle`",
			func(c *Config) *string { return &c.Vault.RoleMount }),
		text("VAULT_CACERT", "PEM file of the CA of Vault's certificate",
			func(c *Config) *string { return &c.Vault.TLS.CACert }),
		text("VAULT_CAPATH", "directory of such files", func(c *Config) *string { return &c.Vault.TLS.CAPath }),
		text("VAULT_CLIENT_CERT", "PEM file of a client certificate",
			func(c *Config) *string { return &c.Vault.TLS.ClientCert }),
		text("VAULT_CLIENT_KEY", "PEM file of its key",
			func(c *Config) *string { return &c.Vault.TLS.ClientKey }),
		text("VAULT_TLS_SERVER_NAME", "name in Vault's certificate, if not the address's",
			func(c *Config) *string { return &c.Vault.TLS.TLSServerName }),
		{Name: "VAULT_SKIP_VERIFY", about: "refused if true", set: refuseSkipVerify,
			show: func(*Config) string { return "" }},
		vaultTimeout(),
	}
}

// vaultTimeout takes seconds, too, as Vault's own programs do.
func vaultTimeout() Variable {
	v := duration("VAULT_CLIENT_TIMEOUT", "wait for all values of an execution, 1 to 120 s", time.Second, 2*time.Minute,
		func(c *Config) *time.Duration { return &c.Vault.Timeout })
	set := v.set
	v.set = func(c *Config, text string) error {
		if _, err := strconv.Atoi(text); err == nil {
			text += "s"
		}
		return set(c, text)
	}
	return v
}

func refuseSkipVerify(_ *Config, v string) error {
	skip, err := strconv.ParseBool(v)
	if err != nil || skip {
		return errors.New("whoever stands between Airlock and Vault would get every secret; set VAULT_CACERT to the " +
			"authority's file instead")
	}
	return nil
}

// checkVault reports wrong settings before any start. Without an address the other variables mean
// nothing.
func (c *Config) checkVault() error {
	if c.Vault.Address == "" {
		return nil
	}
	_, err := vault.New(c.Vault)
	return err
}
