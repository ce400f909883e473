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

// readAll reads each path of the references once. It ends with ctx and the time limit.
func (c *Client) readAll(ctx context.Context, refs []app.Reference) map[string]answer {
	ctx, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	var reads sync.WaitGroup
	var mu sync.Mutex
	answers := make(map[string]answer, len(refs))
	begun := map[string]bool{}
	for _, ref := range refs {
		if begun[ref.Path] {
			continue
		}
		begun[ref.Path] = true
		reads.Go(func() {
			s, err := c.read(ctx, ref.Path)
			if err != nil {
				c.cfg.Log.Warn("a secret could not be read from Vault", "path", ref.Path, "error", reason(err))
			}
			mu.Lock()
			defer mu.Unlock()
			answers[ref.Path] = answer{s, err}
		})
	}
	reads.Wait()
	return answers
}

func (c *Client) read(ctx context.Context, path string) (secret, error) {
	var raw *api.Secret
	err := c.as(ctx, func(client *api.Client) (err error) {
		raw, err = client.Logical().ReadWithContext(ctx, path)
		return err
	})
	if err != nil {
		return secret{}, explain(err, c.cfg.Timeout)
	}
	return parse(path, raw)
}

// as calls do with a valid token. Vault answers 403 for a missing permission and for an expired
// token. So a refused token is looked up, and replaced once.
func (c *Client) as(ctx context.Context, do func(*api.Client) error) error {
	for try := 0; ; try++ {
		s, err := c.session(ctx)
		if err != nil {
			return err
		}
		err = tame(do(s.client), s.token)
		if !isForbidden(err) || try > 0 {
			return err
		}
		if _, lookup := s.client.Auth().Token().LookupSelfWithContext(ctx); !isForbidden(lookup) {
			return err // the token works, or nobody can tell: the first answer counts
		}
		c.drop(s)
	}
}

func isForbidden(err error) bool {
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
