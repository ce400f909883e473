package vault

import (
	"context"
	"fmt"
	"sync"

	"github.com/hashicorp/vault/api"

	"github.com/computclaw/airlock/app"
)

// Client reads from one Vault as one identity. It is safe for concurrent use.
type Client struct {
	cfg   Config
	base  *api.Client // without a token
	idle  func()      // closes connections that nobody uses
	reads chan struct{}
	late  func(Lease) // gets the leases of answers that nobody waits for any more
	cache *cache

	login    chan struct{} // holds one while somebody logs in: who waits takes the token that comes of it
	mu       sync.Mutex
	active   *session   // nil: not logged in
	secretID app.Secret // of the last login

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

// Fetched is what a Fetch brought. The leases are the caller's to revoke, also when Fetch returned
// an error.
type Fetched struct {
	Values map[app.Reference]Value
	Leases []Lease
}

// Fetch reads each path of the references once, so that all fields of one path are of one version
// and one lease. It takes no longer than the configured time limit and ends with ctx. Errors:
// *ReadError about the first reference, in their order, that has no value; ctx's cause.
//
// An answer that comes too late is still waited for in the background, and the lease in it handed
// to OnLate.
func (c *Client) Fetch(ctx context.Context, refs []app.Reference) (Fetched, error) {
	paths := byPath(refs)
	f := Fetched{Values: make(map[app.Reference]Value, len(refs))}
	found := make(map[string]secret, len(paths))
	failed := map[string]error{}
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	answers := c.readAll(ctx, paths)
	for range paths {
		select {
		case a := <-answers:
			if a.err != nil {
				failed[a.path] = a.err
				continue
			}
			found[a.path] = a.secret
			if a.secret.lease.ID != "" {
				f.Leases = append(f.Leases, a.secret.lease)
			}
		case <-ctx.Done():
			left := len(paths) - len(found) - len(failed)
			go c.discard(context.WithoutCancel(ctx), answers, left)
			if parent.Err() != nil {
				return f, fmt.Errorf("vault: %w", context.Cause(parent))
			}
			return f, c.gaveUp(ctx, refs, found, failed)
		}
	}
	for _, ref := range refs {
		v, err := found[ref.Path].field(ref.Field)
		if failed[ref.Path] != nil {
			err = failed[ref.Path]
		}
		if err == nil && c.holdsOwn(v.Secret) {
			err = errOwnToken
		}
		if err != nil {
			return f, &ReadError{ref, err}
		}
		f.Values[ref] = v
	}
	return f, nil
}

// gaveUp names the first reference that was still waited for.
func (c *Client) gaveUp(ctx context.Context, refs []app.Reference, found map[string]secret,
	failed map[string]error) error {
	for _, ref := range refs {
		if err := failed[ref.Path]; err != nil {
			return &ReadError{ref, err}
		}
		if _, ok := found[ref.Path]; !ok {
			return &ReadError{ref, explain(context.Cause(ctx), c.cfg.Timeout)}
		}
	}
	return fmt.Errorf("vault: %w", context.Cause(ctx))
}

// OnLate sets who gives back the leases of answers that came too late; without it each is tried to
// be revoked once. It is called before the first Fetch.
func (c *Client) OnLate(giveBack func(Lease)) { c.late = giveBack }

func byPath(refs []app.Reference) []string {
	var paths []string
	known := map[string]bool{}
	for _, r := range refs {
		if !known[r.Path] {
			known[r.Path] = true
			paths = append(paths, r.Path)
		}
	}
	return paths
}
