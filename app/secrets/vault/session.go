package vault

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/computclaw/airlock/app"
)

// session is one token, with the client that carries it.
type session struct {
	client    *api.Client
	token     app.Secret
	ttl       time.Duration // when it was new; 0: it doesn't end
	renewable bool
	expires   time.Time       // as last heard of; zero: never. Client.mu guards it
	use       context.Context // ends when it expires or is refused
	end       context.CancelFunc
}

// session returns the current session, or logs in. Logins don't overlap: callers during one use its
// token, or try in turn until ctx ends.
func (c *Client) session(ctx context.Context) (*session, error) {
	if s := c.current(); s != nil {
		return s, nil
	}
	select {
	case c.login <- struct{}{}:
		defer func() { <-c.login }()
	case <-ctx.Done():
		return nil, explain(context.Cause(ctx), c.cfg.Timeout)
	}
	if s := c.current(); s != nil {
		return s, nil
	}
	within, cancel := context.WithTimeout(ctx, c.cfg.Timeout)
	defer cancel()
	s, err := c.logIn(within)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.cfg.Log.Warn("Airlock could not log in to Vault", "method", c.cfg.method(), "error", reason(err))
		return nil, err
	}
	c.active = s
	return s, nil
}

// current returns the unexpired session, if any.
func (c *Client) current() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.active; s != nil && !s.expires.IsZero() && !c.cfg.Now().Before(s.expires) {
		c.dropLocked(s)
	}
	return c.active
}

func (c *Client) drop(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropLocked(s)
}

func (c *Client) dropLocked(s *session) {
	s.end()
	if c.active == s {
		c.active = nil
	}
}

// logIn gets a token and asks Vault for its life. Errors are *app.Error about Airlock's access.
func (c *Client) logIn(ctx context.Context) (*session, error) {
	if c.cfg.RoleID != "" {
		return c.logInAsRole(ctx)
	}
	token := c.cfg.Token
	if c.cfg.TokenFile != "" {
		var err error
		if token, err = readSecret(c.cfg.TokenFile); err != nil {
			return nil, because(app.CodeUnreachable, "Airlock's token for Vault can't be read from its file",
				"Ask the operator to look at the file of VAULT_TOKEN_FILE.", err)
		}
	}
	client, err := c.withToken(token)
	if err != nil {
		return nil, err
	}
	self, err := client.Auth().Token().LookupSelfWithContext(ctx)
	err = tame(err, token)
	if isForbidden(err) {
		return nil, because(errBadToken.Code, errBadToken.Message, errBadToken.Hint, err)
	}
	if err != nil {
		return nil, explain(err, c.cfg.Timeout)
	}
	ttl, err := self.TokenTTL()
	if err != nil {
		return nil, explain(err, c.cfg.Timeout)
	}
	renewable, _ := self.TokenIsRenewable()
	return c.newSession(client, token, ttl, renewable), nil
}

func (c *Client) logInAsRole(ctx context.Context) (*session, error) {
	secretID := c.cfg.SecretID
	if c.cfg.SecretIDFile != "" {
		var err error
		if secretID, err = readSecret(c.cfg.SecretIDFile); err != nil {
			return nil, because(app.CodeUnreachable, "Airlock's secret id for Vault can't be read from its file",
				"Ask the operator to look at the file of VAULT_SECRET_ID_FILE.", err)
		}
	}
	body := map[string]any{"role_id": c.cfg.RoleID}
	if !secretID.Empty() {
		body["secret_id"] = secretID.Reveal()
	}
	auth, err := c.base.Logical().WriteWithContext(ctx, "auth/"+c.cfg.RoleMount+"/login", body)
	err = tame(err, secretID)
	var answered *api.ResponseError
	if errors.As(err, &answered) && answered.StatusCode >= 400 && answered.StatusCode < 500 {
		return nil, because(app.CodeUnreachable, "Vault refuses Airlock's login by AppRole",
			"Ask the operator to check VAULT_ROLE_ID, VAULT_SECRET_ID and VAULT_APPROLE_MOUNT; a secret id may be used up or "+
				"expired.", err)
	}
	if err != nil {
		return nil, explain(err, c.cfg.Timeout)
	}
	if auth == nil || auth.Auth == nil || auth.Auth.ClientToken == "" {
		return nil, because(app.CodeUnreachable, "Vault's answer to Airlock's login holds no token", askOperator, nil)
	}
	token := app.NewSecret(auth.Auth.ClientToken)
	client, err := c.withToken(token)
	if err != nil {
		return nil, err
	}
	return c.newSession(client, token, time.Duration(auth.Auth.LeaseDuration)*time.Second, auth.Auth.Renewable), nil
}

func (c *Client) newSession(client *api.Client, token app.Secret, ttl time.Duration, renewable bool) *session {
	s := &session{client: client, token: token, ttl: max(ttl, 0), renewable: renewable && ttl > 0}
	s.use, s.end = context.WithCancel(context.Background())
	if ttl > 0 {
		s.expires = c.cfg.Now().Add(ttl)
	}
	return s
}

func (c *Client) withToken(token app.Secret) (*api.Client, error) {
	client, err := c.base.Clone()
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	client.SetToken(token.Reveal())
	return client, nil
}

// maxSecretFile bounds the file of a token or a secret id, in bytes.
const maxSecretFile = 16 << 10

// readSecret reads a file with one secret and trims white space.
func readSecret(path string) (app.Secret, error) {
	f, err := os.Open(path)
	if err != nil {
		return app.Secret{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSecretFile))
	if err != nil {
		return app.Secret{}, err
	}
	data = bytes.TrimSpace(data)
	if len(data) == 0 || bytes.ContainsAny(data, "\r\n\x00") {
		return app.Secret{}, errors.New("the file does not hold one line")
	}
	return app.NewSecret(string(data)), nil
}
