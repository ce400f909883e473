package vault

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/computclaw/airlock/app"
)

// Health is the state of a Vault and of Airlock's access to it.
type Health struct {
	Address   string
	Namespace string
	Method    string // token, token file or AppRole
	Version   string // of the Vault; "" if it did not say
	Problem   string // why nothing can be read; "" if it can
	Hint      string // what to do about it
	Standby   bool
	LoggedIn  bool
	Expires   time.Time // of Airlock's token; zero: never, or unknown
	Renewable bool
}

// Health asks the Vault for its state and tries to log in. It takes a few seconds at most.
func (c *Client) Health(ctx context.Context) Health {
	ctx, cancel := context.WithTimeout(ctx, min(c.cfg.Timeout, healthWithin))
	defer cancel()
	h := Health{Address: c.cfg.Address, Namespace: c.cfg.Namespace, Method: c.cfg.method()}
	root, err := c.base.Clone()
	if err == nil {
		root.ClearNamespace() // sys/health is the server's
		var state *api.HealthResponse
		if state, err = root.Sys().HealthWithContext(ctx); err == nil {
			// Vault calls a sealed one both
			h.Version, h.Standby = state.Version, state.Standby && !state.Sealed
			switch {
			case !state.Initialized:
				return h.withProblem(because(app.CodeUnreachable, "Vault is not initialised", "Initialise and unseal it.", nil))
			case state.Sealed:
				return h.withProblem(because(app.CodeUnreachable, "Vault is sealed", "Unseal it.", nil))
			}
		}
	}
	if err != nil {
		return h.withProblem(explain(err, min(c.cfg.Timeout, healthWithin)))
	}
	err = c.as(ctx, func(client *api.Client) error {
		_, err := client.Auth().Token().LookupSelfWithContext(ctx)
		return err
	})
	if err != nil {
		return h.withProblem(explain(err, min(c.cfg.Timeout, healthWithin)))
	}
	if s := c.current(); s != nil {
		c.mu.Lock()
		h.LoggedIn, h.Expires, h.Renewable = true, s.expires, s.renewable
		c.mu.Unlock()
	}
	return h
}

const healthWithin = 3 * time.Second

func (h Health) withProblem(err error) Health {
	h.Problem, h.Hint = words(err)
	return h
}

// Inspection describes a reference without its value.
type Inspection struct {
	Engine  string // kv version 1, kv version 2, database, …; "" if unknown
	Lease   bool   // each execution gets a value of its own, so none was read to see whether it resolves
	Version int    // of KV version 2; else 0
	Created time.Time
	Problem string // why it does not resolve; "" if it does
	Hint    string
}

// Inspect checks whether a reference resolves now, without returning the value. Values made per
// reader are not read; Inspect only asks for the permission.
func (c *Client) Inspect(ctx context.Context, ref app.Reference, check func(app.Secret) error) Inspection {
	ctx, cancel := context.WithTimeout(ctx, min(c.cfg.Timeout, healthWithin))
	defer cancel()
	var in Inspection
	engine, err := c.engine(ctx, ref.Path)
	if err == nil {
		in.Engine, in.Lease = engine, !strings.HasPrefix(engine, "KV ")
	}
	if err == nil && in.Lease {
		err = c.mayRead(ctx, ref.Path)
	}
	if err == nil && !in.Lease {
		var s secret
		var v Value
		if s, err = c.read(ctx, ref.Path); err == nil {
			in.Version, in.Created = s.version, s.created
			v, err = s.field(ref.Field)
		}
		if err == nil {
			err = check(v.Secret)
		}
	}
	if err != nil {
		in.Problem, in.Hint = words(err)
	}
	return in
}

// engine names the engine that a path leads to: KV version 1, KV version 2, database, …
func (c *Client) engine(ctx context.Context, path string) (string, error) {
	var mount *api.Secret
	err := c.as(ctx, func(client *api.Client) (err error) {
		mount, err = client.Logical().ReadWithContext(ctx, "sys/internal/ui/mounts/"+path)
		return err
	})
	if err != nil {
		return "", explain(err, c.cfg.Timeout)
	}
	if mount == nil {
		return "", errNothing
	}
	kind := text(mount.Data["type"])
	if kind != "kv" && kind != "generic" && kind != "cubbyhole" {
		return kind, nil
	}
	if options, _ := mount.Data["options"].(map[string]any); text(options["version"]) == "2" {
		return "KV version 2", nil
	}
	return "KV version 1", nil
}

func (c *Client) mayRead(ctx context.Context, path string) error {
	var capabilities []string
	err := c.as(ctx, func(client *api.Client) (err error) {
		capabilities, err = client.Sys().CapabilitiesSelfWithContext(ctx, path)
		return err
	})
	if err != nil {
		return explain(err, c.cfg.Timeout)
	}
	if slices.Contains(capabilities, "read") || slices.Contains(capabilities, "root") {
		return nil
	}
	return errDenied
}
