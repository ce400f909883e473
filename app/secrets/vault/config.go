package vault

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/computclaw/airlock/app"
)

// Config says how to reach a Vault. Exactly one of Token, TokenFile and RoleID must be set.
type Config struct {
	Address   string // https://vault.example.com:8200
	Namespace string // of an Enterprise Vault or OpenBao; "" is the root

	Token     app.Secret
	TokenFile string // holds the token, as an agent's sink does; read at every login

	RoleID       string
	SecretID     app.Secret // "" if the role doesn't ask for one
	SecretIDFile string     // instead of SecretID; read at every login
	RoleMount    string     // where AppRole is mounted; "" means approle

	TLS     api.TLSConfig // certificates to trust and to show
	Timeout time.Duration // of one Fetch; 0: DefaultTimeout

	Log *slog.Logger     // nil: none. It gets references and lease ids, never values
	Now func() time.Time // nil: time.Now
}

// DefaultTimeout is how long a Fetch may take.
const DefaultTimeout = 10 * time.Second

// Bounds on requests to a Vault and on its answers.
const (
	maxAnswer = 4 << 20 // bytes of one answer
	maxConns  = 32      // requests at once
)

// New returns a Client without connecting. The first read, or Start, logs in. Errors: a setting is
// missing or wrong.
func New(cfg Config) (*Client, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.RoleMount == "" {
		cfg.RoleMount = "approle"
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	base, idle, err := cfg.client()
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	return &Client{cfg: cfg, base: base, idle: idle, login: make(chan struct{}, 1)}, nil
}

func (cfg *Config) check() error {
	u, err := url.Parse(cfg.Address)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "", u.User != nil, u.RawQuery != "",
		u.Fragment != "":
		return errors.New("the address is not a URL such as https://vault.example.com:8200 (VAULT_ADDR)")
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return errors.New("VAULT_ADDR is http:// to another machine, so whoever stands between would get Airlock's token " +
			"and every secret; set it to https://, with VAULT_CACERT if the authority is your own, or to a Vault Agent or " +
			"Proxy on this machine (http://127.0.0.1:8200)")
	}
	ways := 0
	for _, set := range []bool{!cfg.Token.Empty(), cfg.TokenFile != "", cfg.RoleID != ""} {
		if set {
			ways++
		}
	}
	switch {
	case ways == 0:
		return errors.New("it isn't said who Airlock is there; set one of VAULT_TOKEN, VAULT_TOKEN_FILE and VAULT_ROLE_ID")
	case ways > 1:
		return errors.New("only one of VAULT_TOKEN, VAULT_TOKEN_FILE and VAULT_ROLE_ID can be set")
	case cfg.RoleID == "" && (!cfg.SecretID.Empty() || cfg.SecretIDFile != ""):
		return errors.New("a secret id belongs to a role; set VAULT_ROLE_ID too")
	}
	return nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// client makes the HTTP side. It ignores Vault's environment variables, which api would read; only
// HTTPS_PROXY counts.
func (cfg *Config) client() (client *api.Client, closeIdle func(), err error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxConnsPerHost, transport.MaxIdleConnsPerHost = maxConns, maxConns
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	settings := &api.Config{
		Address: cfg.Address, HttpClient: &http.Client{Transport: transport}, Timeout: cfg.Timeout,
		MaxRetries:   0, // an execution must not wait for a Vault that is down
		CloneHeaders: true, CloneTLSConfig: true, DisableRedirects: true,
	}
	if err := settings.ConfigureTLS(&cfg.TLS); err != nil {
		return nil, nil, fmt.Errorf("certificates: %w", err)
	}
	settings.HttpClient.Transport = guarded{transport}
	if client, err = api.NewClient(settings); err != nil {
		return nil, nil, err
	}
	client.ClearToken()
	client.SetHeaders(http.Header{api.RequestHeaderName: {"true"}})
	if cfg.Namespace != "" {
		client.SetNamespace(cfg.Namespace)
	}
	return client, transport.CloseIdleConnections, nil
}

// method names how Airlock logs in.
func (cfg *Config) method() string {
	switch {
	case cfg.RoleID != "":
		return "AppRole"
	case cfg.TokenFile != "":
		return "token file"
	}
	return "token"
}

// guarded limits answers and follows no redirect. api would send the token to the redirect's host.
type guarded struct{ http.RoundTripper }

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := g.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		_ = res.Body.Close()
		return nil, errRedirected
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, maxAnswer), res.Body}
	return res, nil
}
