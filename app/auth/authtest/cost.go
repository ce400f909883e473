// Package authtest makes logins in tests cheap.
package authtest

import (
	"testing"

	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/auth/internal/passwordhash"
)

// CheapHashes returns a cost at which hashing a password takes no time.
// Only a test can ask for it: the cost is in an internal package.
func CheapHashes(testing.TB) auth.HashCost { return passwordhash.Cheap() }
