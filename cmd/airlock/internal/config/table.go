package config

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/cmd/airlock/internal/backends"
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
	return slices.Concat(serverVariables(), sandboxVariables(), backendVariables(), limitVariables(), redactVariables(),
		vaultVariables(), runVariables())
}

func serverVariables() []Variable {
	return []Variable{
		{Name: "AIRLOCK_ADDR", about: "listen address; else port `PORT`",
			set:  func(c *Config, v string) error { return setAddr(&c.Addr, v) },
			show: func(c *Config) string { return c.Addr }},
		text("AIRLOCK_DATA_DIR", "directory of database and instance key",
			func(c *Config) *string { return &c.DataDir }),
		{Name: "AIRLOCK_PUBLIC_URL",
			about: "URL of this instance; else `RENDER_EXTERNAL_URL`, `RAILWAY_PUBLIC_DOMAIN`, " +
				"`FLY_APP_NAME`, or from each request",
			set:  func(c *Config, v string) (err error) { c.PublicURL, err = ParseURL(v); return err },
			show: func(c *Config) string { return c.PublicURL }},
		{Name: "AIRLOCK_TRUSTED_PROXIES", about: "addresses or networks whose `X-Forwarded-*` headers count",
			set: setProxies, show: showProxies},
		{Name: "AIRLOCK_ADMIN_TOKEN",
			about:  "token for the first login, at least 16 characters; else the first start prints one",
			secret: true, set: setAdminToken,
			show: func(c *Config) string { return mask(c.AdminToken) }},
		secretOrFile("AIRLOCK_SECRET_KEY", "instance key, at least 32 characters; else `instance.key` in the data directory "+
			"([docs](backups.md#the-instance-key))",
			func(c *Config) *app.Secret { return &c.SecretKey }, func(c *Config) *string { return &c.SecretKeyFile }),
		secret("AIRLOCK_SECRET_KEY_OLD", "previous instance key, during a rotation or for an older database",
			func(c *Config) *app.Secret { return &c.OldSecretKey }),
		{Name: "AIRLOCK_AGENT_PROFILES", about: "`on` or `off`: whether agents may create profiles", set: setAgentProfiles,
			show: showAgentProfiles},
		{Name: "AIRLOCK_METRICS_ADDR",
			about: "address for `/metrics` without a token, such as `127.0.0.1:9091` ([docs](operations.md#metrics))",
			set:   func(c *Config, v string) error { return setAddr(&c.MetricsAddr, v) },
			show:  func(c *Config) string { return c.MetricsAddr }},
		number("AIRLOCK_RETENTION_DAYS",
			"days to keep executions; 0: forever ([docs](operations.md#retention))", 0, 36500,
			func(c *Config) *int { return &c.Retention.Days }),
		number("AIRLOCK_RETENTION_COUNT", "executions to keep per profile; 0: all", 0,
			1_000_000_000, func(c *Config) *int { return &c.Retention.Count }),
		number("AIRLOCK_RETENTION_SUPERSEDED",
			"days to search for replaced values; 0: at most an hour", 0, 36500,
			func(c *Config) *int { return &c.Retention.Superseded }),
		number("AIRLOCK_RETENTION_FILES",
			"days to keep artifacts, and files after their last use ([docs](files.md#how-long))", 1, 3650,
			func(c *Config) *int { return &c.FilesDays }),
		size("AIRLOCK_FILES_QUOTA", "size of the files and artifacts that are kept of one profile", 1<<20,
			func(c *Config) *int64 { return &c.FilesQuota }),
		{Name: "AIRLOCK_LOCAL_SERVICES",
			about: "names for services on this host or in its network: `name:port=address:port` " +
				"([docs](credentials.md#hosts-inside-your-network))",
			set:  func(c *Config, v string) (err error) { c.LocalServices, err = egress.ParseLocalServices(v); return err },
			show: showLocalServices},
		{Name: "AIRLOCK_EXTRA_CA",
			about: "PEM file of extra CA certificates, for scripts and intercepted hosts",
			set:   setExtraCA, show: func(c *Config) string { return c.ExtraCA.path }},
	}
}

func sandboxVariables() []Variable {
	return []Variable{
		{Name: "AIRLOCK_SANDBOX",
			about: "`auto` (the strongest of " + strings.Join(backends.Automatic(), ", ") + " that passes its proof) or " +
				"backends, the first by default: " + strings.Join(backends.Names(), ", ") +
				", your own ([docs](backends/README.md))",
			set:  setSandbox,
			show: func(c *Config) string { return strings.Join(c.Sandbox, ",") }},
		{Name: "AIRLOCK_TEMPLATE_IMPORTS",
			about: "modules that a template has loaded, or `none`; else what one of ten scripts imports " +
				"([docs](backends/README.md#modules-of-a-template))",
			set: setImports, show: showImports},
		{Name: "AIRLOCK_PLUGINS",
			about: "your own backends: `name=/path@sha256:…` ([docs](plugins.md))",
			set:   setPlugins, show: showPlugins},
		number("AIRLOCK_WORKERS", "executions that run at once", 1, 1024,
			func(c *Config) *int { return &c.Workers }),
		number("AIRLOCK_POOL", "boxes kept ready; by default at most an eighth of memory", 0, 1024,
			func(c *Config) *int { return &c.Pool }),
		number("AIRLOCK_WAITERS",
			"executions that wait for an LLM answer ([docs](operations.md#fair-turns))", 1, 100_000,
			func(c *Config) *int { return &c.Waiters }),
		number("AIRLOCK_QUEUE", "executions that wait for a worker; more are refused", 1, 1_000_000,
			func(c *Config) *int { return &c.Queue }),
	}
}

func limitVariables() []Variable {
	const day = 24 * time.Hour
	return []Variable{
		size("AIRLOCK_LIMIT_MEMORY", "memory of one execution", 32<<20,
			func(c *Config) *int64 { return &c.Limits.Memory }),
		{Name: "AIRLOCK_LIMIT_CPU", about: "cores of one execution", set: setCPU,
			show: func(c *Config) string { return strconv.FormatFloat(c.Limits.CPU, 'g', -1, 64) }},
		number("AIRLOCK_LIMIT_PIDS", "processes and threads of one execution", 12, 1<<20,
			func(c *Config) *int64 { return &c.Limits.Pids }),
		size("AIRLOCK_LIMIT_TMP", "size of `/tmp`", 1<<20, func(c *Config) *int64 { return &c.Limits.Tmp }),
		number("AIRLOCK_LIMIT_FILES", "open files per process", 32, 1<<20,
			func(c *Config) *int64 { return &c.Limits.Files }),
		size("AIRLOCK_LIMIT_OUTPUT",
			"size of each of stdout and stderr; 12 × this + 4 × `AIRLOCK_LIMIT_RESULT` ≤ 63MiB", 1<<10,
			func(c *Config) *int64 { return &c.Limits.Output }),
		size("AIRLOCK_LIMIT_RESULT", "size of the result as JSON", 1<<10,
			func(c *Config) *int64 { return &c.Limits.Result }),
		duration("AIRLOCK_TIMEOUT_DEFAULT", "run time unless the request names one", time.Second, day,
			func(c *Config) *time.Duration { return &c.Timeouts.Default }),
		duration("AIRLOCK_TIMEOUT_MAX", "longest run time a request may name", time.Second, day,
			func(c *Config) *time.Duration { return &c.Timeouts.Max }),
		duration("AIRLOCK_LLM_WAIT", "longest wait for an LLM answer", time.Second, day,
			func(c *Config) *time.Duration { return &c.Timeouts.Answer }),
		duration("AIRLOCK_APPROVAL_WAIT", "longest wait for the approval of a script", time.Second, day,
			func(c *Config) *time.Duration { return &c.Timeouts.Approval }),
		duration("AIRLOCK_DRAIN",
			"how long executions may go on after SIGTERM ([docs](upgrade.md#stopping))", time.Second, day,
			func(c *Config) *time.Duration { return &c.Drain }),
	}
}

func runVariables() []Variable {
	return []Variable{
		{Name: "AIRLOCK_URL", about: "instance for `airlock run` and `airlock mcp`",
			set:  func(c *Config, v string) (err error) { c.URL, err = ParseURL(v); return err },
			show: func(c *Config) string { return c.URL }},
		{Name: "AIRLOCK_PROFILE", about: "profile id for `airlock run` and `airlock mcp`", secret: true, set: SetProfile,
			show: func(c *Config) string { return mask(c.Profile) }},
	}
}

func text(name, about string, field func(*Config) *string) Variable {
	return Variable{Name: name, about: about, set: func(c *Config, v string) error { *field(c) = v; return nil },
		show: func(c *Config) string { return *field(c) }}
}

func number[T int | int64](name, about string, least, most T, field func(*Config) *T) Variable {
	return Variable{Name: name, about: about, show: func(c *Config) string { return fmt.Sprint(*field(c)) },
		set: func(c *Config, v string) error {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil || n < int64(least) || n > int64(most) {
				return fmt.Errorf("%q is not a whole number from %d to %d", v, least, most)
			}
			*field(c) = T(n)
			return nil
		}}
}

func size(name, about string, least int64, field func(*Config) *int64) Variable {
	return Variable{Name: name, about: about, show: func(c *Config) string { return ShowSize(*field(c)) },
		set: func(c *Config, v string) error {
			n, err := app.ParseSize(v)
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

func duration(name, about string, least, most time.Duration, field func(*Config) *time.Duration) Variable {
	return Variable{Name: name, about: about, show: func(c *Config) string { return showDuration(*field(c)) },
		set: func(c *Config, v string) error {
			d, err := time.ParseDuration(v)
			if err != nil || d < least || d > most {
				return fmt.Errorf("%q is not a time from %s to %s, such as 60s or 10m", v, showDuration(least),
					showDuration(most))
			}
			*field(c) = d
			return nil
		}}
}

func secret(name, about string, field func(*Config) *app.Secret) Variable {
	return Variable{Name: name, about: about, secret: true,
		set:  func(c *Config, v string) error { *field(c) = app.NewSecret(v); return nil },
		show: func(c *Config) string { return mask(*field(c)) }}
}

// secretOrFile is a secret whose file is read elsewhere, again and again.
func secretOrFile(name, about string, field func(*Config) *app.Secret, file func(*Config) *string) Variable {
	v := secret(name, about, field)
	v.setFile = func(c *Config, path string) { *file(c) = path }
	v.show = func(c *Config) string { return cmp.Or(*file(c), mask(*field(c))) }
	return v
}

func setProxies(c *Config, v string) error {
	c.TrustedProxies = nil
	for _, item := range splitList(v) {
		p, err := netip.ParsePrefix(item)
		if addr, single := netip.ParseAddr(item); single == nil {
			p, err = addr.Unmap().Prefix(addr.Unmap().BitLen())
		}
		if err != nil || p != p.Masked() {
			return fmt.Errorf("%q is neither an address nor a network such as 10.0.0.0/8", app.Clip(item, 60))
		}
		c.TrustedProxies = append(c.TrustedProxies, p)
	}
	return nil
}

func showProxies(c *Config) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(c.TrustedProxies), " ", ","), "[]")
}

func showLocalServices(c *Config) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(c.LocalServices)) {
		list = append(list, name+"="+c.LocalServices[name].String())
	}
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
	if v != "on" && v != "off" {
		return fmt.Errorf("%q is neither on nor off", v)
	}
	c.AgentProfiles = v == "on"
	return nil
}

func showAgentProfiles(c *Config) string {
	return map[bool]string{true: "on", false: "off"}[c.AgentProfiles]
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

func mask(s app.Secret) string {
	if s.Empty() {
		return ""
	}
	return "(set)"
}
