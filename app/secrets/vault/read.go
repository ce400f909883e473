package vault

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/computclaw/airlock/app"
)

type secret struct {
	fields  map[string]any
	version int
	created time.Time // zero if unknown
	lease   Lease
}

type answer struct {
	secret secret
	err    error
}

// readAll returns the answers by path. It ends with ctx and the time limit.
func (c *Client) readAll(ctx context.Context, paths []string) map[string]answer {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	var reads sync.WaitGroup
	var mu sync.Mutex
	answers := make(map[string]answer, len(paths))
	for _, path := range paths {
		reads.Go(func() {
			s, err := c.readInTurn(ctx, path)
			mu.Lock()
			defer mu.Unlock()
			answers[path] = answer{s, err}
		})
	}
	reads.Wait()
	return answers
}

// readInTurn reads a path from the cache or Vault, a few at once.
func (c *Client) readInTurn(ctx context.Context, path string) (secret, error) {
	if s, ok := c.cache.get(path); ok {
		return s, nil
	}
	if err := c.reads.Acquire(ctx, 1); err != nil {
		return secret{}, explain(context.Cause(ctx), c.cfg.Timeout)
	}
	defer c.reads.Release(1)
	s, err := c.read(ctx, path)
	if err != nil {
		c.cfg.Log.Warn("a secret could not be read from Vault", "path", path, "error", reason(err))
	}
	return s, err
}

func (c *Client) read(ctx context.Context, path string) (secret, error) {
	var raw *api.Secret
	err := c.as(ctx, func(client *api.Client) (err error) {
		raw, err = client.Logical().ReadWithContext(ctx, path)
		return err
	})
	if forbidden(err) {
		if m, unknown := c.mount(ctx, path); unknown == nil && m.withData(path) != "" {
			return secret{}, errNoData // a policy names what is below data/, so Vault denies what no policy could mend
		}
	}
	if err != nil {
		return secret{}, explain(err, c.cfg.Timeout)
	}
	s, err := parse(path, raw)
	if err == nil && s.lease.ID == "" {
		c.cache.put(path, s)
	}
	return s, err
}

// as calls do with a valid token. Vault answers 403 for a missing permission and for an expired
// token. So a refused token is looked up, and replaced once.
func (c *Client) as(ctx context.Context, do func(*api.Client) error) error {
	for try := 0; ; try++ {
		s, err := c.session(ctx)
		if err != nil {
			return err
		}
		err = tame(do(s.client), c.own()...)
		if !forbidden(err) || try > 0 {
			return err
		}
		if _, lookup := s.client.Auth().Token().LookupSelfWithContext(ctx); !forbidden(lookup) {
			return err // the token works, or nobody can tell: the first answer counts
		}
		c.drop(s)
	}
}

func forbidden(err error) bool {
	var answered *api.ResponseError
	return errors.As(err, &answered) && answered.StatusCode == http.StatusForbidden
}

// parse reads Vault's answer. KV version 2 wraps the fields and gives a version; other engines have
// the fields on top.
func parse(path string, raw *api.Secret) (secret, error) {
	if raw == nil {
		return secret{}, errNothing
	}
	switch strings.TrimPrefix(raw.MountType, "ns_") {
	case "system", "token": // a path that begins with a namespace leads there too
		return secret{}, errOwnPlace
	}
	s := secret{fields: raw.Data}
	if raw.LeaseID != "" {
		s.lease = Lease{ID: raw.LeaseID, Path: path, Seconds: raw.LeaseDuration, Renewable: raw.Renewable}
		return s, nil
	}
	for _, w := range raw.Warnings {
		if strings.Contains(w, "versioned K/V") {
			return secret{}, errNoData
		}
	}
	if len(raw.Data) == 0 {
		return secret{}, errNothing
	}
	meta, versioned := raw.Data["metadata"].(map[string]any)
	if version, ok := meta["version"].(json.Number); ok && versioned {
		n, _ := version.Int64()
		s.version = int(n)
		s.created, _ = time.Parse(time.RFC3339Nano, text(meta["created_time"]))
		fields, live := raw.Data["data"].(map[string]any)
		if !live {
			return secret{}, errDeleted
		}
		s.fields = fields
	}
	return s, nil
}

func (s secret) field(name string) (Value, error) {
	raw, ok := s.fields[name]
	if !ok {
		return Value{}, errField
	}
	v := Value{Version: s.version}
	switch raw := raw.(type) {
	case string:
		v.Secret = app.TypedValue(raw)
	case json.Number:
		v.Secret = app.NewSecret(raw.String())
	default:
		return Value{}, errNotText
	}
	return v, nil
}

func text(v any) string {
	s, _ := v.(string)
	return s
}
