package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/netip"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/cmd/airlock/internal/backends"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// Config is the effective configuration.
type Config struct {
	Addr           string
	DataDir        string
	PublicURL      string
	TrustedProxies []netip.Prefix
	AgentProfiles  bool

	AdminToken    app.Secret
	SecretKey     app.Secret
	SecretKeyFile string // instead of SecretKey
	OldSecretKey  app.Secret

	Sandbox        []string                     // backends in order of preference, or auto
	Plugins        []ownPlugin                  // the operator's own backends
	PluginSettings map[string]map[string]string // by backend
	Imports        []string                     // modules that templates have loaded; nil: what scripts import
	Pool           int
	Workers        int
	Waiters        int
	Queue          int

	Retention   retention.Policy
	FilesDays   int    // days to keep artifacts, and files after their last use
	FilesQuota  int64  // bytes of files and artifacts of one profile
	MetricsAddr string // of the listener that needs no token; "" for none

	Limits        app.Limits
	Timeouts      app.Timeouts
	Drain         time.Duration
	LocalServices map[string]netip.AddrPort
	ExtraCA       ExtraCA

	RedactOff   []string
	RedactExtra string
	Patterns    *patterns.Set // made of both

	Vault vault.Config // Address is empty if there is none

	Platform platform // where this runs

	// For airlock run.
	URL     string
	Profile app.Secret

	origin  map[string]string // where a variable's value comes from, if not its default
	refused map[string]bool   // variables whose values could not be used
}

// EnvPrefix begins the names of all variables of Airlock.
const EnvPrefix = "AIRLOCK_"

// DefaultDataDir is below the directory of the program's start.
const DefaultDataDir = "data"

// Load reads the configuration from an environment as of os.Environ. The error lists every problem;
// the Config with it is only for showing.
func Load(environ []string) (Config, error) {
	c := Config{
		Addr: ":9090", DataDir: DefaultDataDir, AgentProfiles: true, Sandbox: []string{"auto"},
		Workers: 2 * runtime.NumCPU(), Queue: 1000,
		Retention: retention.Policy{Days: retention.DefaultDays, Count: retention.DefaultCount,
			Superseded: retention.DefaultSuperseded},
		FilesDays: app.DefaultFilesRetention, FilesQuota: app.DefaultFilesQuota,
		Limits: app.DefaultLimits(), Timeouts: app.DefaultTimeouts(), Drain: 5 * time.Second,
		Vault: vault.Config{Timeout: vault.DefaultTimeout},
		URL:   "http://localhost:9090", PluginSettings: map[string]map[string]string{}, origin: map[string]string{},
		refused: map[string]bool{},
	}
	env := SplitEnv(environ)
	problems := unknownVariables(env)
	for _, v := range Variables() {
		if err := v.apply(&c, env); err != nil {
			name := v.Name
			if file := v.Name + "_FILE"; c.origin[v.Name] == file {
				name = file
			}
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
			c.refused[v.Name] = true
		}
	}
	problems = append(problems, c.pluginSettings(env)...)
	problems = append(problems, c.checkSandboxes()...)
	if err := c.checkVault(); err != nil {
		problems = append(problems, err)
	}
	c.fallBack(env)
	c.Platform = findPlatform(env)
	if c.Timeouts.Default > c.Timeouts.Max {
		problems = append(problems,
			fmt.Errorf("AIRLOCK_TIMEOUT_DEFAULT (%s) is longer than AIRLOCK_TIMEOUT_MAX (%s)", c.Timeouts.Default,
				c.Timeouts.Max))
	}
	if err := content.CheckLimits(c.Limits); err != nil {
		problems = append(problems, err)
	}
	c.fillMemory(os.DirFS("/"))
	set, err := c.patterns()
	c.Patterns = set
	if err := errors.Join(append(problems, err)...); err != nil {
		return c, cli.UsageError{Message: "the configuration has mistakes:\n" + err.Error()}
	}
	return c, nil
}

// OwnKey reports whether the instance key is the one in the data directory.
func (c *Config) OwnKey() bool { return c.SecretKey.Empty() && c.SecretKeyFile == "" }

// fillMemory sets memory-dependent defaults.
func (c *Config) fillMemory(root fs.FS) {
	if c.origin["AIRLOCK_POOL"] == "" {
		c.Pool = sandbox.DefaultPool(c.Workers, root)
	}
	if c.origin["AIRLOCK_WAITERS"] == "" {
		c.Waiters = sandbox.DefaultWaiters(root)
	}
}

// SplitEnv makes a map of an environment in the form of os.Environ.
func SplitEnv(environ []string) map[string]string {
	env := map[string]string{}
	for _, e := range environ {
		if name, value, ok := strings.Cut(e, "="); ok {
			env[name] = value
		}
	}
	return env
}

// apply sets the variable's value, or a secret from the file that NAME_FILE names. Empty counts as
// absent.
func (v Variable) apply(c *Config, env map[string]string) error {
	value, file := env[v.Name], env[v.Name+"_FILE"]
	switch {
	case v.secret && value != "" && file != "":
		return fmt.Errorf("set it or %s_FILE, not both", v.Name)
	case v.secret && file != "":
		c.origin[v.Name] = v.Name + "_FILE"
		if v.setFile != nil {
			v.setFile(c, file)
			return nil
		}
		text, err := ReadSecretFile(file)
		if err != nil {
			return err
		}
		return v.set(c, text)
	case value == "":
		return nil
	}
	c.origin[v.Name] = "environment"
	return v.set(c, value)
}

// fallBack uses hosting platforms' variables where ours are unset.
func (c *Config) fallBack(env map[string]string) {
	if port := env["PORT"]; c.origin["AIRLOCK_ADDR"] == "" && port != "" {
		if checkPort(port) == nil {
			c.Addr, c.origin["AIRLOCK_ADDR"] = net.JoinHostPort("", port), "PORT"
		}
	}
	if c.origin["AIRLOCK_PUBLIC_URL"] != "" {
		return
	}
	for _, f := range []struct{ name, format string }{
		{"RENDER_EXTERNAL_URL", "%s"}, {"RAILWAY_PUBLIC_DOMAIN", "https://%s"}, {"FLY_APP_NAME", "https://%s.fly.dev"},
	} {
		if env[f.name] == "" {
			continue
		}
		if url, err := ParseURL(fmt.Sprintf(f.format, env[f.name])); err == nil {
			c.PublicURL, c.origin["AIRLOCK_PUBLIC_URL"] = url, f.name
			return
		}
	}
}

var pluginShape = regexp.MustCompile(`^AIRLOCK_PLUGIN_([A-Z0-9]+)_([A-Z0-9_]+)$`)

// pluginSettings collects AIRLOCK_PLUGIN_<NAME>_<SETTING> (or …_FILE) by backend; backends refuse
// unknown ones.
func (c *Config) pluginSettings(env map[string]string) (problems []error) {
	for name, value := range env {
		m := pluginShape.FindStringSubmatch(name)
		if m == nil || value == "" {
			continue
		}
		backend, setting := strings.ToLower(m[1]), strings.ToLower(m[2])
		if short, ok := strings.CutSuffix(setting, "_file"); ok {
			text, err := ReadSecretFile(value)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", name, err))
				continue
			}
			setting, value = short, text
		}
		if err := c.setPlugin(backend, setting, value); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", name, err))
		}
	}
	c.adoptVariables(env)
	return problems
}

func (c *Config) setPlugin(backend, setting, value string) error {
	if c.PluginSettings[backend] == nil {
		c.PluginSettings[backend] = map[string]string{}
	}
	if _, twice := c.PluginSettings[backend][setting]; twice {
		return errors.New("it is set by another variable too")
	}
	c.PluginSettings[backend][setting] = value
	return nil
}

// adoptVariables uses a backend's own programs' variables where ours are unset.
func (c *Config) adoptVariables(env map[string]string) {
	for _, b := range backends.All() {
		if !slices.Contains(c.Sandbox, b.Name) || c.PluginSettings[b.Name]["host"] != "" {
			continue
		}
		for variable, setting := range b.Adopted {
			if value := env[variable]; value != "" && c.PluginSettings[b.Name][setting] == "" {
				_ = c.setPlugin(b.Name, setting, value) // an error says that it is set
			}
		}
	}
}

// serviceLink matches the variables that Kubernetes sets beside a service named airlock or
// airlock-something.
var serviceLink = regexp.MustCompile(
	`^AIRLOCK_([A-Z0-9_]+_)?(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)

func isServiceLink(name, value string) bool {
	if serviceLink.MatchString(name) {
		return true
	}
	protocol, _, found := strings.Cut(value, "://")
	return found && strings.HasSuffix(name, "_PORT") && (protocol == "tcp" || protocol == "udp" || protocol == "sctp")
}

// nearestVariable returns the likely meaning of a misspelt or cut name, or "". The common prefix
// doesn't count.
func nearestVariable(name string, known []string) string {
	short := strings.TrimPrefix(name, EnvPrefix)
	var names []string
	for _, k := range known {
		names = append(names, strings.TrimPrefix(k, EnvPrefix))
	}
	guess := app.Nearest(short, names)
	if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, short) }); guess == "" && i >= 0 {
		guess = names[i]
	}
	if guess == "" || len(short) < 3 {
		return ""
	}
	return EnvPrefix + guess
}

// unknownVariables refuses unknown AIRLOCK names: a misspelt limit must not mean no limit.
func unknownVariables(env map[string]string) (problems []error) {
	var known []string
	for _, v := range Variables() {
		known = append(known, v.Name)
		if v.secret {
			known = append(known, v.Name+"_FILE")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if !strings.HasPrefix(name, EnvPrefix) || slices.Contains(known, name) || pluginShape.MatchString(name) ||
			isServiceLink(name, env[name]) {
			continue
		}
		message := name + " is not a variable of Airlock"
		if guess := nearestVariable(name, known); guess != "" {
			message += "; did you mean " + guess + "?"
		} else {
			message += "; airlock config lists them"
		}
		problems = append(problems, errors.New(message))
	}
	return problems
}
