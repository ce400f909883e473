package vault

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/computclaw/airlock/app"
)

// Revoke gives a lease back and waits until it is revoked. An unknown lease counts as revoked. A
// database that is down is an error.
func (c *Client) Revoke(ctx context.Context, lease string) error {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	err := c.as(ctx, func(client *api.Client) error {
		_, err := client.Logical().WriteWithContext(ctx, "sys/leases/revoke", map[string]any{"lease_id": lease, "sync": true})
		return err
	})
	var answered *api.ResponseError
	if errors.As(err, &answered) && answered.StatusCode == http.StatusBadRequest {
		err = because(app.CodeUnreachable, "Vault could not take it back: what it lends for, such as a database, may be down",
			askOperator, err)
	}
	if err != nil {
		return fmt.Errorf("vault: revoke a lease: %w", explain(err, c.cfg.Timeout))
	}
	return nil
}

// Hold renews a lease until ctx ends. It calls extended after each renewal with the remaining time.
// Errors: Vault no longer renews it.
func (c *Client) Hold(ctx context.Context, lease Lease, extended func(time.Duration)) error {
	return c.prolong(ctx, time.Duration(lease.Seconds)*time.Second, lease.Renewable,
		func(ctx context.Context) (time.Duration, error) {
			var got *api.Secret
			err := c.as(ctx, func(client *api.Client) (err error) {
				got, err = client.Sys().RenewWithContext(ctx, lease.ID, lease.Seconds)
				return err
			})
			if err != nil || got == nil {
				return 0, errors.Join(err, errLongest)
			}
			d := time.Duration(got.LeaseDuration) * time.Second
			extended(d)
			return d, nil
		})
}
