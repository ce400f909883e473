package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app/sleep"
)

const (
	loginRetry = time.Second // after a failed login, doubled up to loginLast
	loginLast  = 30 * time.Second
)

// Start logs in and keeps the token alive in the background, until Close. It retries while the
// Vault is down.
func (c *Client) Start(ctx context.Context) {
	ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.running.Go(func() {
		wait := loginRetry
		for ctx.Err() == nil {
			s, err := c.session(ctx)
			if err != nil {
				_ = sleep.For(ctx, wait)
				wait = min(2*wait, loginLast)
				continue
			}
			wait = loginRetry
			c.keep(ctx, s)
		}
	})
}

// Close ends the renewal. It revokes a token that Airlock obtained, and so all its leases.
func (c *Client) Close(ctx context.Context) error {
	defer c.idle()
	if c.stop != nil {
		c.stop()
		c.running.Wait()
	}
	s := c.current()
	if s == nil || c.cfg.RoleID == "" {
		return nil
	}
	c.drop(s)
	within, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	return s.client.Auth().Token().RevokeSelfWithContext(within, "")
}

// keep renews a token until it ends or another takes its place. With AppRole another does when a
// third of its life is left that Vault doesn't prolong; it keeps its leases until then.
func (c *Client) keep(ctx context.Context, s *session) {
	use, cancel := context.WithCancel(s.use)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	if s.ttl == 0 {
		<-use.Done()
		return
	}
	spare := time.Duration(0)
	if c.cfg.RoleID != "" {
		spare = s.ttl / 3
	}
	renew := func(ctx context.Context) (time.Duration, error) {
		got, err := s.client.Auth().Token().RenewSelfWithContext(ctx, 0)
		if err != nil || got == nil || got.Auth == nil {
			return 0, errors.Join(err, errLongest)
		}
		d := time.Duration(got.Auth.LeaseDuration) * time.Second
		c.mu.Lock()
		s.expires = c.cfg.Now().Add(d)
		c.mu.Unlock()
		return d - spare, nil
	}
	if err := c.prolong(use, s.ttl-spare, s.renewable, renew); err != nil {
		if c.cfg.RoleID == "" {
			c.cfg.Log.Warn("Airlock's token for Vault ended and couldn't be renewed", "method", c.cfg.method(), "error", err)
		}
		c.drop(s)
	}
}

// leastBetween is the shortest time between two renewals of one thing.
const leastBetween = 500 * time.Millisecond

var errLongest = errors.New("that is the longest that Vault allows")

// prolong renews something after two thirds of its time, and retries failures while some is left.
// It returns nil when ctx ends, else why nothing is left. renew returns the new time until expiry.
func (c *Client) prolong(ctx context.Context, left time.Duration, renewable bool,
	renew func(context.Context) (time.Duration, error)) error {
	ends, failed := c.cfg.Now().Add(left), errLongest
	for left > 0 {
		pause := left
		if renewable {
			pause = min(left, max(left*2/3, leastBetween))
		}
		if sleep.For(ctx, pause) != nil {
			return nil
		}
		if left = ends.Sub(c.cfg.Now()); left <= 0 || !renewable {
			continue
		}
		within, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
		d, err := renew(within)
		cancel()
		if failed = err; err == nil {
			ends, failed = c.cfg.Now().Add(d), errLongest
		}
		left = ends.Sub(c.cfg.Now())
	}
	return fmt.Errorf("vault: not renewed: %w", failed)
}
