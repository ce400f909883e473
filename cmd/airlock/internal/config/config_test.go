package config

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"

	"github.com/computclaw/airlock/app"
)

var update = flag.Bool("update", false, "write the table of docs/configuration.md instead of comparing it")

const (
	docFile  = "../../../../docs/configuration.md"
	docBegin = "<!-- config:begin -->\n"
	docEnd   = "<!-- config:end -->"
)

func TestDocumentedConfigurationIsTheTable(t *testing.T) {
	text, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), docBegin)
	table, after, ok2 := strings.Cut(rest, docEnd)
	if !ok || !ok2 {
		t.Fatalf("%s has lost its markers", docFile)
	}
	want, err := configTable()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		//nolint:gosec // a public document
		if err := os.WriteFile(docFile, []byte(before+docBegin+want+docEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, table); diff != "" {
		t.Errorf("run: go test ./cmd/airlock/internal/config -run Documented -update\n%s", diff)
	}
}

func TestConfigRefusesWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	empty := filepath.Join(dir, "empty")
	wrongRules := filepath.Join(dir, "wrong")
	if err := os.WriteFile(wrongRules, []byte("rule a\nkeywrod acme_\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for env, says := range map[string]string{
		"AIRLOCK_ADDR=9090x":                     "not an address",
		"AIRLOCK_ADDR=:70000":                    "not an address",
		"AIRLOCK_PUBLIC_URL=airlock.example":     "not an address",
		"AIRLOCK_PUBLIC_URL=https://u:p@a.b":     "not an address",
		"AIRLOCK_PUBLIC_URL=https://a.b/airlock": "has a path",
		"AIRLOCK_TRUSTED_PROXIES=10.0.0.1/8":     "neither an address nor a network",
		"AIRLOCK_TRUSTED_PROXIES=all":            "neither an address nor a network",
		"AIRLOCK_SANDBOX=dokcer":                 "no backend",
		"AIRLOCK_WORKERS=0":                      "from 1 to",
		"AIRLOCK_WORKERS=1.5":                    "from 1 to",
		"AIRLOCK_LIMIT_MEMORY=512MB":             "not a size",
		"AIRLOCK_LIMIT_MEMORY=-1":                "not a size",
		"AIRLOCK_LIMIT_MEMORY=1KiB":              "less than 32MiB",
		"AIRLOCK_LIMIT_MEMORY=9999999999TiB":     "not a size",
		"AIRLOCK_LIMIT_OUTPUT=5MiB":              "too large together",
		"AIRLOCK_LIMIT_RESULT=1TiB":              "too large together",
		"AIRLOCK_LIMIT_CPU=NaN":                  "not a number of cores",
		"AIRLOCK_LIMIT_PIDS=1":                   "from 12 to",
		"AIRLOCK_TIMEOUT_MAX=0s":                 "from 1s to 24h",
		"AIRLOCK_TIMEOUT_MAX=30s":                "longer than AIRLOCK_TIMEOUT_MAX",
		"AIRLOCK_LLM_WAIT=forever":               "from 1s to 24h",
		"AIRLOCK_REDACT_OFF=jwt,githb":           `there is no rule "githb"; did you mean github?`,
		"AIRLOCK_REDACT_EXTRA=" + dir + "/none":  "no such file",
		"AIRLOCK_REDACT_EXTRA=" + dir:            "has 0 *.rules files",
		"AIRLOCK_REDACT_EXTRA=" + wrongRules:     `:2: there is no "keywrod"; a line begins with one of rule, about, keyword`,
		"AIRLOCK_AGENT_PROFILES=yes":             "neither on nor off",
		"AIRLOCK_LOCAL_SERVICES=x":               "name:port=address:port",
		"AIRLOCK_ADMIN_TOKEN=hunter2":            "at least 16 characters",
		"AIRLOCK_ADMIN_TOKEN_FILE=/nowhere":      "AIRLOCK_ADMIN_TOKEN_FILE: open /nowhere: no such file",
		"AIRLOCK_ADMIN_TOKEN_FILE=" + empty:      "is empty",
		"AIRLOCK_ADMIN_TOKEN_FILE=" + dir:        "not a regular file",
		"AIRLOCK_PROFILE=hunter2":                "a profile id begins with ark_",
		"AIRLOCK_LIMITS_MEMORY=1GiB":             "did you mean AIRLOCK_LIMIT_MEMORY?",
		"AIRLOCK_DATA_DIR_FILE=/x":               "not a variable",
		"AIRLOCK_LIMIT_MEM=1GiB":                 "did you mean AIRLOCK_LIMIT_MEMORY?",
		"AIRLOCK_FOO=1":                          "airlock config lists them",
		"AIRLOCK_LIMIT_=1":                       "did you mean AIRLOCK_LIMIT_MEMORY?",
		"AIRLOCK_=1":                             "airlock config lists them",
		"AIRLOCK_XYZ=1":                          "airlock config lists them",
	} {
		_, err := Load([]string{env})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", env, err, says)
		}
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the secret is in the error", env)
		}
	}
	if _, err := Load([]string{"AIRLOCK_ADMIN_TOKEN=atk_0123456789abcdef", "AIRLOCK_ADMIN_TOKEN_FILE=/x"}); err == nil ||
		!strings.Contains(err.Error(), "not both") {
		t.Errorf("both: %v", err)
	}
}

func TestConfigValues(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("atk_0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load([]string{
		"AIRLOCK_ADDR=8080", "AIRLOCK_PUBLIC_URL=https://a.example/", "AIRLOCK_TRUSTED_PROXIES=10.0.0.0/8, 192.0.2.1",
		"AIRLOCK_WORKERS=3", "AIRLOCK_LIMIT_MEMORY=1GiB",
		"AIRLOCK_LIMIT_TMP=1048576", "AIRLOCK_TIMEOUT_MAX=1h", "AIRLOCK_AGENT_PROFILES=off",
		"AIRLOCK_ADMIN_TOKEN_FILE=" + token, "AIRLOCK_PLUGIN_BUBBLEWRAP_USR_LOCAL=true", "OTHER=1", "PORT=1",
	})
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != ":8080" || c.PublicURL != "https://a.example" || len(c.TrustedProxies) != 2 || c.Workers != 3 ||
		c.Pool != 3 || c.Limits.Memory != 1<<30 ||
		c.Limits.Tmp != 1<<20 || c.Timeouts.Max != time.Hour || c.AgentProfiles ||
		c.AdminToken.Reveal() != "atk_0123456789abcdef" || c.PluginSettings["bubblewrap"]["usr_local"] != "true" {
		t.Errorf("%+v", c)
	}
}

func TestConfigFallsBackOnPlatforms(t *testing.T) {
	for env, want := range map[string]string{
		"RENDER_EXTERNAL_URL=https://x.onrender.com": "https://x.onrender.com",
		"RAILWAY_PUBLIC_DOMAIN=x.up.railway.app":     "https://x.up.railway.app",
		"FLY_APP_NAME=x":                             "https://x.fly.dev",
		"FLY_APP_NAME=x/y?z":                         "",
	} {
		c, err := Load([]string{env, "PORT=1234"})
		if err != nil || c.PublicURL != want || c.Addr != ":1234" {
			t.Errorf("%s: %q %q %v", env, c.PublicURL, c.Addr, err)
		}
	}
}

func TestSizesAndTimesAreShownAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{"512MiB", "1GiB", "64KiB", "1000", "3TiB"} {
		n, err := app.ParseSize(text)
		if err != nil || ShowSize(n) != text {
			t.Errorf("%s: %d %s %v", text, n, ShowSize(n), err)
		}
	}
	for _, text := range []string{"1s", "1m30s", "10m", "1h", "1h30m", "24h"} {
		d, err := time.ParseDuration(text)
		if err != nil || showDuration(d) != text {
			t.Errorf("%s: %s", text, showDuration(d))
		}
	}
}

// TestBoxesGoByMemory: what the operator says counts, else the memory there is. The pool was as
// large as there are workers, however little that was.
func TestBoxesGoByMemory(t *testing.T) {
	little := fstest.MapFS{"proc/meminfo": &fstest.MapFile{Data: []byte("MemAvailable: 524288 kB\n")}}
	for _, c := range []struct {
		env           []string
		pool, waiters int
	}{
		{[]string{"AIRLOCK_WORKERS=8"}, 2, 8},
		{[]string{"AIRLOCK_WORKERS=8", "AIRLOCK_POOL=4", "AIRLOCK_WAITERS=500"}, 4, 500},
	} {
		cfg, err := Load(c.env)
		if err != nil {
			t.Fatal(err)
		}
		cfg.fillMemory(little)
		if cfg.Pool != c.pool || cfg.Waiters != c.waiters {
			t.Errorf("%v: %d boxes ready, %d that wait", c.env, cfg.Pool, cfg.Waiters)
		}
	}
}

// A value that was refused is not shown as the default that stands in its place.
func TestRefusedValuesAreShownAsRefused(t *testing.T) {
	var out strings.Builder
	err := Show(cli.Console{Out: &out, Env: []string{"AIRLOCK_LIMIT_MEMORY=512"}}, nil)
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "AIRLOCK_LIMIT_MEMORY ") && (err == nil || !strings.Contains(line, "(refused)")) {
			t.Errorf("%s, %v", line, err)
		}
	}
	if !strings.Contains(out.String(), "(refused)") {
		t.Error(out.String())
	}
}
