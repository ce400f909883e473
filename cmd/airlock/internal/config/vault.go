package config

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets/vault"
)

// maxVaultCache is the longest that a value from Vault may be reused: rotating it there is meant to
// be enough.
const maxVaultCache = 5 * time.Minute

// vaultVariables are Vault's own names, and one of ours.
func vaultVariables() []Variable {
	return []Variable{
		text("VAULT_ADDR", "HashiCorp Vault or OpenBao, as `https://vault.example.com:8200`; `http://` only on this "+
			"machine; credentials may refer to values in it then ([docs](vault.md))",
			func(c *Config) *string { return &c.Vault.Address }),
		text("VAULT_NAMESPACE", "namespace in it", func(c *Config) *string { return &c.Vault.Namespace }),
		{Name: "VAULT_TOKEN", about: "token that Airlock reads with; a file is read again when it changes, so it may be an " +
			"agent's sink", secret: true,
			set:     func(c *Config, v string) error { c.Vault.Token = app.NewSecret(v); return nil },
			setFile: func(c *Config, path string) { c.Vault.TokenFile = path },
			show:    func(c *Config) string { return maskedOr(c.Vault.Token, c.Vault.TokenFile) }},
		text("VAULT_ROLE_ID", "AppRole to log in by, instead of a token", func(c *Config) *string { return &c.Vault.RoleID }),
		{Name: "VAULT_SECRET_ID", about: "secret id of that role; a file is read at every login", secret: true,
			set:     func(c *Config, v string) error { c.Vault.SecretID = app.NewSecret(v); return nil },
			setFile: func(c *Config, path string) { c.Vault.SecretIDFile = path },
			show:    func(c *Config) string { return maskedOr(c.Vault.SecretID, c.Vault.SecretIDFile) }},
		text("VAULT_APPROLE_MOUNT", "where AppRole is mounted, if not at `approle`",
			func(c *Config) *string { return &c.Vault.RoleMount }),
		text("VAULT_CACERT", "PEM file of the authority that issued its certificate",
			func(c *Config) *string { return &c.Vault.TLS.CACert }),
		text("VAULT_CAPATH", "directory of such files", func(c *Config) *string { return &c.Vault.TLS.CAPath }),
		text("VAULT_CLIENT_CERT", "PEM file of a certificate to show to it",
			func(c *Config) *string { return &c.Vault.TLS.ClientCert }),
		text("VAULT_CLIENT_KEY", "PEM file of that certificate's key",
			func(c *Config) *string { return &c.Vault.TLS.ClientKey }),
		text("VAULT_TLS_SERVER_NAME", "name that its certificate is for, if not the address's",
			func(c *Config) *string { return &c.Vault.TLS.TLSServerName }),
		{Name: "VAULT_SKIP_VERIFY", about: "must not be true: the certificate is always checked", set: refuseSkipVerify,
			show: func(*Config) string { return "" }},
		{Name: "VAULT_CLIENT_TIMEOUT", about: "how long an execution waits for all of its values, from 1 to 120 s",
			set: setVaultTimeout, show: func(c *Config) string { return showDuration(c.Vault.Timeout) }},
		{Name: "AIRLOCK_VAULT_CACHE",
			about: "how long values without a lease may be reused, at most 5m; 0s: each execution reads them anew",
			set:   setVaultCache, show: func(c *Config) string { return c.Vault.Cache.String() }},
	}
}

func maskedOr(s app.Secret, file string) string {
	if file != "" {
		return file
	}
	return masked(s)
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

// checkVault says what is wrong before anything is started. Without an address the other variables
// mean nothing.
func (c *Config) checkVault() error {
	if c.Vault.Address == "" {
		return nil
	}
	_, err := vault.New(c.Vault)
	return err
}
