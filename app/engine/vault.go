package engine

import (
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/redact"
)

// earlier is what else to mask: values that Vault gave to others. The script doesn't hold them.
func (e *Engine) earlier(values []access.Value) []redact.Value {
	var list []redact.Value
	for _, known := range e.cfg.Access.Earlier(values) {
		list = append(list, redact.Value{Name: known.Key, Secret: known.Secret, Unheld: true})
	}
	return list
}

// learn adds to the redactor, before its last pass, what other executions have read from Vault meanwhile in the place of this one's values.
func (r *run) learn() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.grant.vault {
		return
	}
	r.secrets = slices.Concat(r.grant.secrets, r.e.earlier(r.grant.all))
}

// withLost adds to a failure that Vault took back what it had lent: without it an agent sees a database that refuses its user.
func withLost(v verdict, lost bool) verdict {
	if lost && v.status == app.StatusError {
		v.message += "\nVault ended the lease of a value while the script ran, so that value may have stopped working; submit again, or ask the operator to look at the lease's longest time in Vault"
	}
	return v
}
