package access

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/profiles"
)

// Names of the parts, for callers that import only this package.
type (
	AuditFilter     = audit.Filter
	Session         = auth.Session
	Opened          = auth.Opened
	Person          = auth.Person
	CredentialInput = credentials.Input
	Check           = credentials.Check
	Value           = credentials.Value
	Retirement      = instance.Retirement
	SearchSets      = credentials.SearchSets
)

// MaxRequestsOfExecution bounds the host requests of one execution.
const MaxRequestsOfExecution = profiles.MaxRequestsOfExecution

// ResolveHosts is policy.ResolveHosts.
func ResolveHosts(p app.Policy, values []Value) ([]app.Host, error) {
	return policy.ResolveHosts(p, values)
}
