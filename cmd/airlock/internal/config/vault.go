package config

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault"
)

// maxVaultCache is the longest reuse of a value from Vault: rotating it there must be enough.
const maxVaultCache = 5 * time.Minute

// vaultVariables are Vault's own names, and one of ours.
func vaultVariables() []Variable {
	return []Variable{
		text("VAULT_ADDR", "HashiCorp Vault ([docs](vault.md)), as `https://vault.example.com:8200`; `http://` on "+
			"this machine only",
			func(c *Config) *string { return &c.Vault.Address }),
		text("VAULT_NAMESPACE", "namespace", func(c *Config) *string { return &c.Vault.Namespace }),
		{Name: "VAULT_TOKEN", about: "token; Airlock reads the file again when it changes", secret: true,
			set:     func(c *Config, v string) error { c.Vault.Token = app.NewSecret(v); return nil },
			setFile: func(c *Config, path string) { c.Vault.TokenFile = path },
			show:    func(c *Config) string { return maskOr(c.Vault.Token, c.Vault.TokenFile) }},
		text("VAULT_ROLE_ID", "AppRole instead of a token", func(c *Config) *string { return &c.Vault.RoleID }),
		{Name: "VAULT_SECRET_ID", about: "its secret id; Airlock reads the file at every login", secret: true,
			set:     func(c *Config, v string) error { c.Vault.SecretID = app.NewSecret(v); return nil },
			setFile: func(c *Config, path string) { c.Vault.SecretIDFile = path },
			show:    func(c *Config) string { return maskOr(c.Vault.SecretID, c.Vault.SecretIDFile) }},
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
		{Name: "VAULT_CLIENT_TIMEOUT", about: "wait for all values of an execution, 1 to 120 s",
			set: setVaultTimeout, show: func(c *Config) string { return showDuration(c.Vault.Timeout) }},
		{Name: "AIRLOCK_VAULT_CACHE",
			about: "reuse of values without a lease, at most 5m; 0s: none",
			set:   setVaultCache, show: func(c *Config) string { return c.Vault.Cache.String() }},
	}
}

func maskOr(s app.Secret, file string) string {
	if file != "" {
		return file
	}
	return mask(s)
}

func refuseSkipVerify(_ *Config, v string) error {
	skip, err := strconv.ParseBool(v)
	if err != nil || skip {
		return errors.New("whoever stands between Airlock and Vault would get every secret; set VAULT_CACERT to the " +
			"authority's file instead")
	}
	return nil
}

// setVaultTimeout reads seconds or a time, as Vault's own programs do.
func setVaultTimeout(c *Config, v string) error {
	d, err := time.ParseDuration(v)
	if n, whole := strconv.Atoi(v); whole == nil {
		d, err = time.Duration(n)*time.Second, nil
	}
	if err != nil || d < time.Second || d > 2*time.Minute {
		return fmt.Errorf("%q is not a time from 1s to 120s", app.Clip(v, 40))
	}
	c.Vault.Timeout = d
	return nil
}

func setVaultCache(c *Config, v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < 0 || d > maxVaultCache {
		return fmt.Errorf("%q is not a time from 0s to %s", app.Clip(v, 40), showDuration(maxVaultCache))
	}
	c.Vault.Cache = d
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
