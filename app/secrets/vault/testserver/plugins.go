package main

import (
	"maps"
	"slices"

	kv "github.com/hashicorp/vault-plugin-secrets-kv"
	"github.com/hashicorp/vault/builtin/credential/approle"
	"github.com/hashicorp/vault/builtin/logical/database"
	"github.com/hashicorp/vault/builtin/logical/transit"
	"github.com/hashicorp/vault/plugins/database/postgresql"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
)

// registry lists the built-in plugins. They are few, because many of Vault's own bring a cloud's
// client library.
type registry struct {
	secrets, auth map[string]logical.Factory
	databases     map[string]func() (any, error)
}

func plugins() registry {
	return registry{
		secrets:   map[string]logical.Factory{"kv": kv.Factory, "transit": transit.Factory, "database": database.Factory},
		auth:      map[string]logical.Factory{"approle": approle.Factory},
		databases: map[string]func() (any, error){"postgresql-database-plugin": postgresql.New},
	}
}

// Get returns what makes the plugin.
func (r registry) Get(name string, kind consts.PluginType) (func() (any, error), bool) {
	var factory logical.Factory
	var ok bool
	switch kind {
	case consts.PluginTypeCredential:
		factory, ok = r.auth[name]
	case consts.PluginTypeSecrets:
		factory, ok = r.secrets[name]
	case consts.PluginTypeDatabase:
		database, ok := r.databases[name]
		return database, ok
	}
	return func() (any, error) { return factory, nil }, ok
}

// Keys returns the names of the plugins of a kind.
func (r registry) Keys(kind consts.PluginType) []string {
	switch kind {
	case consts.PluginTypeCredential:
		return slices.Collect(maps.Keys(r.auth))
	case consts.PluginTypeSecrets:
		return slices.Collect(maps.Keys(r.secrets))
	case consts.PluginTypeDatabase:
		return slices.Collect(maps.Keys(r.databases))
	}
	return nil
}

// Contains reports whether there is such a plugin.
func (r registry) Contains(name string, kind consts.PluginType) bool {
	return slices.Contains(r.Keys(kind), name)
}

// DeprecationStatus is Supported for every plugin there is.
func (r registry) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, r.Contains(name, kind)
}

// IsBuiltinEntPlugin is false: there are none.
func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }
