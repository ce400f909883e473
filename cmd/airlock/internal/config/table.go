package config

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/plugins/docker"
)

// Variable is one environment variable.
type Variable struct {
	Name    string
	about   string
	secret  bool // also as NAME_FILE; never shown, so set's errors must not quote it
	set     func(*Config, string) error
	show    func(*Config) string
	setFile func(*Config, string) // for a secret whose file is read elsewhere
}

// Variables is the whole configuration. docs/configuration.md is this table; a test compares them.
func Variables() []Variable {
	return slices.Concat(serverVariables(), sandboxVariables(), sshVariables(), limitVariables(), redactVariables(),
		vaultVariables(), runVariables())
}

func serverVariables() []Variable {
	return []Variable{
		{Name: "AIRLOCK_ADDR", about: "address to listen on; else the port in `PORT`",
			set: func(c *Config, v string) error { return setAddr(&c.Addr, v) }, show: func(c *Config) string { return c.Addr }},
		text("AIRLOCK_DATA_DIR", "directory of the database and the instance key",
			func(c *Config) *string { return &c.DataDir }),
		{Name: "AIRLOCK_PUBLIC_URL",
			about: "address under which agents and people reach it; else `RENDER_EXTERNAL_URL`, `RAILWAY_PUBLIC_DOMAIN`, " +
				"`FLY_APP_NAME`, else as each request says",
			set:  func(c *Config, v string) (err error) { c.PublicURL, err = ParseURL(v); return err },
			show: func(c *Config) string { return c.PublicURL }},
		{Name: "AIRLOCK_TRUSTED_PROXIES", about: "addresses or networks, with commas, whose `X-Forwarded-*` headers count",
			set: setProxies, show: showProxies},
		{Name: "AIRLOCK_ADMIN_TOKEN",
			about: "admin token with which the first person logs in and chooses a name and a password, after which it counts " +
				"no more; else one is made and printed at the first start", secret: true, set: setAdminToken,
			show: func(c *Config) string { return masked(c.AdminToken) }},
		{Name: "AIRLOCK_SECRET_KEY",
			about:   "instance key, at least 32 characters; else `instance.key` in the data directory, made at the first start",
			secret:  true,
			set:     func(c *Config, v string) error { c.SecretKey = app.NewSecret(v); return nil },
			setFile: func(c *Config, path string) { c.SecretKeyFile = path }, show: showSecretKey},
		{Name: "AIRLOCK_SECRET_KEY_OLD",
			about: "the instance key before, while `airlock admin key rotate` is not finished, or to restore a copy of the " +
				"database from before", secret: true,
			set:  func(c *Config, v string) error { c.OldSecretKey = app.NewSecret(v); return nil },
			show: func(c *Config) string { return masked(c.OldSecretKey) }},
		{Name: "AIRLOCK_AGENT_PROFILES", about: "`on` or `off`: whether agents may create profiles", set: setAgentProfiles,
			show: showAgentProfiles},
		{Name: "AIRLOCK_METRICS_ADDR",
			about: "address on which `/metrics` needs no token, such as `127.0.0.1:9091` (without a host it is every " +
				"address); for a network that only your Prometheus is on ([docs](operations.md))",
			set:  func(c *Config, v string) error { return setAddr(&c.MetricsAddr, v) },
			show: func(c *Config) string { return c.MetricsAddr }},
		number("AIRLOCK_RETENTION_DAYS",
			"executions that were submitted more days ago are removed; 0 keeps them ([docs](operations.md#retention))", 0, 36500,
			func(c *Config) *int { return &c.Retention.Days }),
		number("AIRLOCK_RETENTION_COUNT", "executions that are kept of each profile, the newest; 0 keeps all", 0,
			1_000_000_000, func(c *Config) *int { return &c.Retention.Count }),
		number("AIRLOCK_RETENTION_SUPERSEDED",
			"days for which a value that was replaced is still searched for in answers and output; 0 removes it within the "+
				"hour ([docs](operations.md#retention))", 0, 36500, func(c *Config) *int { return &c.Retention.Superseded }),
		{Name: "AIRLOCK_LOCAL_SERVICES",
			about: "services on this host that profiles may be allowed to reach: `name:port=address:port` with commas, such " +
				"as `warehouse.internal:5432=127.0.0.1:5432`",
			set:  func(c *Config, v string) (err error) { c.LocalServices, err = egress.ParseLocalServices(v); return err },
			show: showLocalServices},
		{Name: "AIRLOCK_EXTRA_CA",
			about: "PEM file of certificates that are trusted besides the host's own: by Airlock towards hosts of sealed " +
				"credentials, and by scripts",
			set: setExtraCA, show: func(c *Config) string { return c.ExtraCA.path }},
	}
}

func sandboxVariables() []Variable {
	return []Variable{
		{Name: "AIRLOCK_SANDBOX",
			about: "`auto` (the strongest of " + strings.Join(automatic(), ", ") +
				" that passes its proof on this host), or backends with commas, all of which are used and the first by default: " +
				strings.Join(Backends(), ", ") + ", or your own", set: setSandbox,
			show: func(c *Config) string { return strings.Join(c.Sandbox, ",") }},
		{Name: "AIRLOCK_DOCKER_IMAGE",
			about: "for the `docker` backend: images with python3 that boxes may run, with commas, the first by default; `" +
				docker.DefaultImage + "` unless set",
			set:  func(c *Config, v string) error { return c.setPlugin(docker.Name, "image", v) },
			show: func(c *Config) string { return c.PluginSettings[docker.Name]["image"] }},
		{Name: "AIRLOCK_PLUGINS",
			about: "your own sandbox backends: `name=/path@sha256:…` with commas; name them in `AIRLOCK_SANDBOX` to use them",
			set:   setPlugins, show: showPlugins},
		number("AIRLOCK_WORKERS", "executions that run at once; twice the cores unless set", 1, 1024,
			func(c *Config) *int { return &c.Workers }),
		number("AIRLOCK_POOL", "boxes kept ready; unless set as many as workers, but no more than an eighth of the memory "+
			"that the machine, or the container, has left; 0 for none", 0, 1024, func(c *Config) *int { return &c.Pool }),
		number("AIRLOCK_WAITERS",
			"executions that wait for an LLM answer at once; unless set as many as half of the memory that the machine, or "+
				"the container, has left holds at 32 MiB each, 1000 at most. A profile may take as many places as it leaves "+
				"free, so one alone half of them", 1, 100_000, func(c *Config) *int { return &c.Waiters }),
		number("AIRLOCK_QUEUE", "executions that wait for a worker; more are refused", 1, 1_000_000,
			func(c *Config) *int { return &c.Queue }),
	}
}

func limitVariables() []Variable {
	return []Variable{
		size("AIRLOCK_LIMIT_MEMORY", "memory of one execution, all processes together", 32<<20,
			func(c *Config) *int64 { return &c.Limits.Memory }),
		{Name: "AIRLOCK_LIMIT_CPU", about: "cores of one execution", set: setCPU,
			show: func(c *Config) string { return strconv.FormatFloat(c.Limits.CPU, 'g', -1, 64) }},
		count("AIRLOCK_LIMIT_PIDS", "processes and threads of one execution", 12,
			func(c *Config) *int64 { return &c.Limits.Pids }),
		size("AIRLOCK_LIMIT_TMP", "size of /tmp", 1<<20, func(c *Config) *int64 { return &c.Limits.Tmp }),
		count("AIRLOCK_LIMIT_FILES", "open files per process", 32, func(c *Config) *int64 { return &c.Limits.Files }),
		size("AIRLOCK_LIMIT_OUTPUT",
			"kept of each of stdout and stderr; 12 times this and 4 times `AIRLOCK_LIMIT_RESULT` make 63MiB at most, which is "+
				"what a backup can hold of an execution", 1<<10, func(c *Config) *int64 { return &c.Limits.Output }),
		size("AIRLOCK_LIMIT_RESULT", "size of the result as JSON", 1<<10, func(c *Config) *int64 { return &c.Limits.Result }),
		duration("AIRLOCK_TIMEOUT_DEFAULT", "run time of an execution that asks for none",
			func(c *Config) *time.Duration { return &c.TimeoutDefault }),
		duration("AIRLOCK_TIMEOUT_MAX", "longest run time that can be asked for",
			func(c *Config) *time.Duration { return &c.TimeoutMax }),
		duration("AIRLOCK_LLM_WAIT", "how long a script waits for an LLM answer",
			func(c *Config) *time.Duration { return &c.LLMWait }),
		duration("AIRLOCK_DRAIN",
			"how long executions may go on after SIGTERM before they are ended; keep it some seconds shorter than what "+
				"follows it with SIGKILL", func(c *Config) *time.Duration { return &c.Drain }),
	}
}

func runVariables() []Variable {
	return []Variable{
		{Name: "AIRLOCK_URL", about: "for `airlock run` and `airlock mcp`: the instance",
			set:  func(c *Config, v string) (err error) { c.URL, err = ParseURL(v); return err },
			show: func(c *Config) string { return c.URL }},
		{Name: "AIRLOCK_PROFILE", about: "for `airlock run` and `airlock mcp`: the profile id", secret: true, set: SetProfile,
			show: func(c *Config) string { return masked(c.Profile) }},
	}
}

func text(name, about string, field func(*Config) *string) Variable {
	return Variable{Name: name, about: about, set: func(c *Config, v string) error { *field(c) = v; return nil },
		show: func(c *Config) string { return *field(c) }}
}

func number(name, about string, least, most int, field func(*Config) *int) Variable {
	return Variable{Name: name, about: about, show: func(c *Config) string { return strconv.Itoa(*field(c)) },
		set: func(c *Config, v string) error {
			n, err := strconv.Atoi(v)
			if err != nil || n < least || n > most {
				return fmt.Errorf("%q is not a whole number from %d to %d", v, least, most)
			}
			*field(c) = n
			return nil
		}}
}

func count(name, about string, least int64, field func(*Config) *int64) Variable {
	return Variable{Name: name, about: about, show: func(c *Config) string { return strconv.FormatInt(*field(c), 10) },
		set: func(c *Config, v string) error {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil || n < least || n > 1<<20 {
				return fmt.Errorf("%q is not a whole number from %d to %d", v, least, 1<<20)
			}
			*field(c) = n
			return nil
		}}
}

func size(name, about string, least int64, field func(*Config) *int64) Variable {
	return Variable{Name: name, about: about, show: func(c *Config) string { return ShowSize(*field(c)) },
		set: func(c *Config, v string) error {
			n, err := ParseSize(v)
			if err != nil {
				return err
			}
			if n < least {
				return fmt.Errorf("%s is less than %s", v, ShowSize(least))
			}
			*field(c) = n
			return nil
		}}
}

func duration(name, about string, field func(*Config) *time.Duration) Variable {
	return Variable{Name: name, about: about, show: func(c *Config) string { return showDuration(*field(c)) },
		set: func(c *Config, v string) error {
			d, err := time.ParseDuration(v)
			if err != nil || d < time.Second || d > 24*time.Hour {
				return fmt.Errorf("%q is not a time from 1s to 24h, such as 60s or 10m", v)
			}
			*field(c) = d
			return nil
		}}
}

func setProxies(c *Config, v string) error {
	c.TrustedProxies = nil
	for item := range strings.SplitSeq(v, ",") {
		item = strings.TrimSpace(item)
		if addr, err := netip.ParseAddr(item); err == nil {
			c.TrustedProxies = append(c.TrustedProxies, netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()))
			continue
		}
		p, err := netip.ParsePrefix(item)
		if err != nil || p != p.Masked() {
			return fmt.Errorf("%q is neither an address nor a network such as 10.0.0.0/8", app.Clip(item, 60))
		}
		c.TrustedProxies = append(c.TrustedProxies, p)
	}
	return nil
}

func showProxies(c *Config) string {
	list := make([]string, len(c.TrustedProxies))
	for i, p := range c.TrustedProxies {
		list[i] = p.String()
	}
	return strings.Join(list, ",")
}

func showLocalServices(c *Config) string {
	list := make([]string, 0, len(c.LocalServices))
	for name, addr := range c.LocalServices {
		list = append(list, name+"="+addr.String())
	}
	slices.Sort(list)
	return strings.Join(list, ",")
}

func setAdminToken(c *Config, v string) error {
	if len(v) < 16 {
		return fmt.Errorf("an admin token has at least 16 characters")
	}
	c.AdminToken = app.NewSecret(v)
	return nil
}

// SetProfile sets the profile of airlock run. Errors: v is no profile id.
func SetProfile(c *Config, v string) error {
	if !app.IsProfileID(v) {
		return fmt.Errorf("a profile id begins with ark_, then come small letters and digits")
	}
	c.Profile = app.NewSecret(v)
	return nil
}

func setAgentProfiles(c *Config, v string) error {
	switch v {
	case "on", "off":
		c.AgentProfiles = v == "on"
		return nil
	}
	return fmt.Errorf("%q is neither on nor off", v)
}

func showAgentProfiles(c *Config) string {
	if c.AgentProfiles {
		return "on"
	}
	return "off"
}

func setSandbox(c *Config, v string) error {
	c.Sandbox = nil
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if slices.Contains(c.Sandbox, name) {
			return fmt.Errorf("%q is named twice", app.Clip(name, 40))
		}
		c.Sandbox = append(c.Sandbox, name)
	}
	if len(c.Sandbox) > 1 && slices.Contains(c.Sandbox, "auto") {
		return fmt.Errorf("auto stands alone")
	}
	return nil
}

func setCPU(c *Config, v string) error {
	n, err := strconv.ParseFloat(v, 64)
	if err != nil || !(n >= 0.05 && n <= 1024) { // not NaN either
		return fmt.Errorf("%q is not a number of cores from 0.05 to 1024", v)
	}
	c.Limits.CPU = n
	return nil
}

func showSecretKey(c *Config) string {
	if c.SecretKeyFile != "" {
		return c.SecretKeyFile
	}
	return masked(c.SecretKey)
}

func masked(s app.Secret) string {
	if s.Empty() {
		return ""
	}
	return "(set)"
}
