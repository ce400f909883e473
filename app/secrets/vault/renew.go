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
	fileEvery  = 2 * time.Second // how often a token file is looked at
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

// keep renews a token until it expires or is replaced.
func (c *Client) keep(ctx context.Context, s *session) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	c.running.Go(func() {
		defer close(ended)
		c.renewToken(ctx, s)
	})
	ticker := time.NewTicker(fileEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
			ended = nil
			if c.cfg.RoleID != "" {
				c.drop(s) // a new login before the token is gone; it keeps its leases until then
				return
			}
		case <-ticker.C:
			if c.isReplaced(s) {
				c.drop(s)
			}
			if c.current() != s {
				return
			}
		}
	}
}

// renewToken returns when the token must be replaced. With AppRole that is with a third of its life
// left.
func (c *Client) renewToken(ctx context.Context, s *session) {
	if s.life == 0 {
		<-ctx.Done()
		return
	}
	l := life{left: s.life, renewable: s.renewable}
	if c.cfg.RoleID != "" {
		l.enough = s.life / 3
	}
	err := c.prolong(ctx, l, func(ctx context.Context) (time.Duration, error) {
		got, err := s.client.Auth().Token().RenewSelfWithContext(ctx, 0)
		if err != nil || got == nil || got.Auth == nil {
			return 0, errors.Join(err, errLongest)
		}
		d := time.Duration(got.Auth.LeaseDuration) * time.Second
		c.mu.Lock()
		s.expires = c.cfg.Now().Add(d)
		c.mu.Unlock()
		return d, nil
	})
	if err != nil && c.cfg.RoleID == "" {
		c.cfg.Log.Warn("Airlock's token for Vault ends and can't be renewed", "method", c.cfg.method(), "error", err)
	}
}

// life is the lifetime of a token or lease.
type life struct {
	left      time.Duration
	enough    time.Duration // prolong is content to end with so much left
	renewable bool
}

// leastBetween is the shortest time between two renewals of one thing.
const leastBetween = 500 * time.Millisecond

var errLongest = errors.New("that is the longest that Vault allows")

// prolong renews something at a third of its time, and retries failures. It returns nil when ctx
// ends, or an error once no more than enough time is left. renew returns the new time until expiry.
func (c *Client) prolong(ctx context.Context, l life, renew func(context.Context) (time.Duration, error)) error {
	ends := c.cfg.Now().Add(l.left)
	failed := errLongest
	for {
		rest := ends.Sub(c.cfg.Now()) - l.enough
		if rest <= 0 {
			return fmt.Errorf("vault: not renewed: %w", failed)
		}
		if l.renewable {
			_ = sleep.For(ctx, min(rest, max(rest/3, leastBetween)))
		} else {
			_ = sleep.For(ctx, rest)
		}
		if ctx.Err() != nil {
			return nil
		}
		if !l.renewable || ends.Sub(c.cfg.Now()) <= l.enough {
			continue
		}
		within, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
		d, err := renew(within)
		cancel()
		if err != nil {
			failed = err
			continue
		}
		ends, failed = c.cfg.Now().Add(d), errLongest
	}
}

// isReplaced reports whether the token's file holds another one now.
func (c *Client) isReplaced(s *session) bool {
	if c.cfg.TokenFile == "" {
		return false
	}
	token, err := readSecret(c.cfg.TokenFile)
	return err == nil && !token.Equal(s.token)
}
