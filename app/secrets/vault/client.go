package vault

import (
	"context"
	"fmt"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/hashicorp/vault/api"
)

// Client reads from one Vault as one identity. It is safe for concurrent use.
type Client struct {
	cfg  Config
	base *api.Client // without a token
	idle func()      // closes connections that nobody uses

	login  chan struct{} // holds one while somebody logs in: who waits takes the token that comes of it
	mu     sync.Mutex
	active *session // nil: not logged in

	stop    context.CancelFunc // of Start; nil before
	running sync.WaitGroup
}

// Value is one field, as it was read.
type Value struct {
	Secret  app.Secret
	Version int // of KV version 2; else 0
}

// Lease is what Vault wants back.
type Lease struct {
	ID        string
	Path      string
	Seconds   int
	Renewable bool
}

// Fetched is the result of a Fetch. The caller must revoke the leases, even after an error.
type Fetched struct {
	Values map[app.Reference]Value
	Leases []Lease
}

// Fetch reads each path of the references once. All fields of one path share one version and one
// lease. It takes no longer than the configured limit. If ctx ends, it still waits for pending
// answers, so no lease is lost. Errors: *ReadError about the first reference without a value; ctx's
// cause.
func (c *Client) Fetch(ctx context.Context, refs []app.Reference) (Fetched, error) {
	f := Fetched{Values: make(map[app.Reference]Value, len(refs))}
	answers := c.readAll(context.WithoutCancel(ctx), refs)
	for _, a := range answers {
		if a.secret.lease.ID != "" {
			f.Leases = append(f.Leases, a.secret.lease)
		}
	}
	if ctx.Err() != nil {
		return f, fmt.Errorf("vault: %w", context.Cause(ctx))
	}
	for _, ref := range refs {
		a := answers[ref.Path]
		v, err := a.secret.field(ref.Field)
		if a.err != nil {
			err = a.err
		}
		if err != nil {
			return f, &ReadError{ref, err}
		}
		f.Values[ref] = v
	}
	return f, nil
}
