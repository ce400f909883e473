package deploy_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/build"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestImage runs the image with a real execution each time. A Debian root makes it the whole image.
func TestImage(t *testing.T) {
	t.Parallel()
	i := e2e.NewImage(t)
	for _, tt := range []struct {
		name      string
		options   []string
		isolation string
	}{
		{"readonly", []string{"--read-only", "--tmpfs", "/tmp"}, "landlock restricted"},
		{"nocaps", []string{"--cap-drop", "ALL"}, "landlock restricted"},
		{"threecaps", []string{"--cap-drop", "ALL", "--cap-add", "SETUID", "--cap-add", "SETGID", "--cap-add", "KILL"},
			"landlock restricted"},
		{"user", []string{"--user", "65534"}, "landlock restricted"},
		{"nothing", []string{"--user", "10001:10001", "--cap-drop", "ALL", "--security-opt", "no-new-privileges",
			"--read-only", "--tmpfs", "/tmp"}, "landlock restricted"},
		{"profile", e2e.InFull(t), "bubblewrap full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := i.Run(t, tt.name, append(tt.options, "-v", tt.name+":/data")...)
			if got := c.Isolation(); got != tt.isolation {
				t.Errorf("isolation is %q, want %q", got, tt.isolation)
			}
			runFirst(c)
			if logs := c.Logs(); !strings.Contains(logs, "Airlock admin token: atk_") || strings.Contains(logs, "outlive") {
				t.Errorf("the log\n%s", logs)
			}
			if code := c.Stop(); code != "0" {
				t.Errorf("exit code %s\n%s", code, c.Logs())
			}
		})
	}
	t.Run("as it comes", func(t *testing.T) { asItComes(t, i) })
	t.Run("published port", func(t *testing.T) {
		c := i.RunPublished(t, "published", "-v", "published:/data")
		runFirst(c)
		if code := c.Stop(); code != "0" {
			t.Errorf("exit code %s\n%s", code, c.Logs())
		}
	})
	t.Run("no volume", func(t *testing.T) {
		c := i.Run(t, "novolume")
		if logs := c.Logs(); !strings.Contains(logs, "will outlive this container") ||
			!strings.Contains(logs, "docker run -v airlock-data:/data") {
			t.Errorf("no warning in the log\n%s", logs)
		}
		if page := loginPage(c); !strings.Contains(page, "docker logs") ||
			strings.Contains(page, "Storage is temporary.") { // strangers need not know
			t.Errorf("the login page\n%s", page)
		}
	})
	t.Run("more packages", func(t *testing.T) { morePackages(t, i) })
	if *e2e.ImageRoot != "" {
		t.Run("packages", func(t *testing.T) { dataPackages(t, i, "packages") })
		t.Run("packages in full isolation", func(t *testing.T) {
			dataPackages(t, i, "packages-full", e2e.InFull(t)...)
		})
		if got, want := i.Docker("run", "--rm", "--network", "none", i.Name, "version"),
			fmt.Sprintf("airlock %s (commit %s, go", build.Version, e2e.ImageCommit); !strings.HasPrefix(got, want) {
			t.Errorf("airlock version: %q, want %q", got, want)
		}
		if size := i.Size(); size > e2e.MaxImage {
			t.Errorf("the image takes %d MB, more than %d", size/1e6, int64(e2e.MaxImage/1e6))
		} else {
			t.Logf("the image takes %d MB", size/1e6)
		}
	}
}

// asItComes is docker run with only a port and a volume: rights, survival, leftovers.
func asItComes(t *testing.T, i *e2e.Image) {
	// The image's own health check, only more frequent.
	c := i.Run(t, "plain", "-v", "plain:/data", "--health-interval", "1s", "--health-retries", "1")
	if got := c.Isolation(); got != "landlock restricted" {
		t.Errorf("isolation is %q", got)
	}
	first, server := c.FirstPID(), c.ServerPID()
	for _, p := range []struct {
		who                  string
		pid                  int
		permitted, effective string
	}{
		{"the first process", first, "0000000000000000", "0000000000000000"},
		{"the server", server, "00000000000000e0", "0000000000000000"},
		{"the landlock plugin", c.Child(server, "plugin landlock"), "00000000000000e0", "00000000000000e0"},
	} {
		for field, want := range map[string]string{"Uid": "10001\t10001\t10001\t10001", "Gid": "10001\t10001\t10001\t10001",
			"Groups": "", "NoNewPrivs": "1", "CapPrm": p.permitted, "CapEff": p.effective} {
			if got := c.StatusOf(p.pid, field); got != want {
				t.Errorf("%s has %s %q, want %q", p.who, field, got, want)
			}
		}
	}
	if out := c.Docker("exec", c.Name, "airlock", "health"); out != "ok, sandbox landlock, isolation restricted" {
		t.Errorf("airlock health: %q", out)
	}
	awaitHealth(c, "healthy")
	e2e.Must(t, syscall.Kill(server, syscall.SIGSTOP))
	awaitHealth(c, "unhealthy")
	e2e.Must(t, syscall.Kill(server, syscall.SIGCONT))
	awaitHealth(c, "healthy")
	done := runFirst(c)

	// A killed plugin leaves its boxes to the first process.
	e2e.Must(t, syscall.Kill(c.Child(server, "plugin landlock"), syscall.SIGKILL))
	e2e.Eventually(t, time.Minute, "no dead process is left", func() bool {
		return !slices.ContainsFunc(e2e.ChildrenOf(t, first), func(p e2e.Process) bool {
			fields, err := e2e.ReadStat(p.PID)
			return err == nil && (fields[0] == "Z" || p.PID != server)
		})
	})
	runFirst(c)

	// SIGTERM while a script runs.
	profile := c.Admin("", "profile", "create")
	c.Admin("", "profile", "lock", profile)
	cut := c.Submit(profile, "import time\nprint('up', flush=True)\ntime.sleep(600)", 10*time.Minute)
	e2e.Eventually(t, time.Minute, "the script runs", func() bool {
		var now e2e.Execution
		c.Call(http.MethodGet, "/executions/"+cut.ID, nil, &now)
		return now.Status == "running"
	})
	if code := c.Stop(); code != "0" {
		t.Errorf("exit code %s\n%s", code, c.Logs())
	}
	c.Again()
	var ended, kept e2e.Execution
	c.Call(http.MethodGet, "/executions/"+cut.ID, nil, &ended)
	c.Call(http.MethodGet, "/executions/"+done, nil, &kept)
	if ended.Status != "error" || ended.Error == "" || kept.Status != "completed" {
		t.Errorf("after the restart: %+v, %+v", ended, kept)
	}
	runFirst(c)
}

// awaitHealth waits for a state of the image's health check.
func awaitHealth(c *e2e.Container, health string) {
	c.T.Helper()
	e2e.Eventually(c.T, time.Minute, "the container is "+health,
		func() bool { return c.Docker("inspect", "-f", "{{.State.Health.Status}}", c.Name) == health })
}

// morePackages builds the image of the two lines that docs/deploy.md gives.
func morePackages(t *testing.T, i *e2e.Image) {
	lines := twoLines(t)
	name := "tabulate"
	if *e2e.ImageRoot == "" {
		name = "added"
		// Like Debian's matplotlib, it opens its file in /etc if that is there.
		lines[1] = `RUN mkdir -p /usr/lib/python3/dist-packages && ` +
			`echo 'open("/etc/matplotlibrc").close()' > /usr/lib/python3/dist-packages/added.py && ` +
			`echo 'backend: agg' > /etc/matplotlibrc`
	}
	own := &e2e.Image{Engine: i.Engine, T: t, Name: "own:test"}
	lines[0] = strings.Replace(lines[0], "ghcr.io/computclaw/airlock", i.Name, 1)
	own.Build(own.Name, strings.Join(lines, "\n")+"\n")
	c := own.Run(t, "own", "-v", "own:/data")
	profile := c.Admin("", "profile", "create")
	c.Admin("", "profile", "lock", profile)
	x := c.Await(c.Submit(profile, "import "+name+"\nset_result("+name+".__name__)", time.Minute), 2*time.Minute)
	if x.Status != "completed" || string(x.Result) != `"`+name+`"` {
		t.Errorf("%s %s %s", x.Status, x.Error, x.Stderr)
	}
}

// twoLines is the Dockerfile in docs/deploy.md.
func twoLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../../../../docs/deploy.md")
	e2e.Must(t, err)
	_, after, found := strings.Cut(string(text), "```dockerfile\n")
	block, _, closed := strings.Cut(after, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if !found || !closed || len(lines) != 2 || !strings.HasPrefix(lines[0], "FROM ghcr.io/computclaw/airlock") {
		t.Fatalf("docs/deploy.md has no Dockerfile of two lines: %q", lines)
	}
	return lines
}

// dataPackages imports what the image promises.
func dataPackages(t *testing.T, i *e2e.Image, name string, options ...string) {
	c := i.Run(t, name, append(options, "-v", name+":/data")...)
	profile := c.Admin("", "profile", "create")
	c.Admin("", "profile", "lock", profile)
	x := c.Await(c.Submit(profile, `
import sys, io, httpx, requests, pandas, numpy, psycopg, psycopg2, oracledb, openpyxl, matplotlib
import matplotlib.pyplot as plt
plt.plot([1, 2, 3]); picture = io.BytesIO(); plt.savefig(picture)
book = io.BytesIO(); pandas.DataFrame({"a": [1, 2]}).to_excel(book)
set_result([sys.version_info[:2], int(pandas.DataFrame({"a": numpy.arange(4)}).a.sum()),
    picture.tell() > 1000, book.tell() > 1000])`, time.Minute), 2*time.Minute)
	if x.Status != "completed" || string(x.Result) != "[[3,13],6,true,true]" {
		t.Errorf("%s %s %s %s", x.Status, x.Error, x.Result, x.Stderr)
	}
}

// runFirst runs a first execution as agent and person, and returns its id.
func runFirst(c *e2e.Container) string {
	c.T.Helper()
	var profile struct {
		ID string `json:"profile_id"`
	}
	if code := c.Call(http.MethodPost, "/profiles", map[string]any{"description": "in a container"},
		&profile); code != http.StatusCreated {
		c.T.Fatalf("create a profile: %d", code)
	}
	c.Call(http.MethodPost, "/profiles/"+profile.ID+"/keys",
		map[string]any{"keys": []map[string]any{{"name": "API_KEY", "description": "a key"}}}, nil)
	c.Admin("sk-secret-of-the-container", "credential", "set", "API_KEY", "--mode", "injected")
	c.Admin("", "profile", "lock", profile.ID)
	x := c.Submit(profile.ID,
		"print('key is', settings.get('API_KEY'))\n"+
			"set_result({'sum': sum(range(10)), 'words': llm.complete('Summarize 45')})", time.Minute)
	id := x.ID
	e2e.Eventually(c.T, 2*time.Minute, "the execution ends", func() bool {
		x = e2e.Execution{}
		c.Call(http.MethodGet, "/executions/"+id, nil, &x)
		if x.Status == "awaiting_llm" {
			c.Call(http.MethodPost, "/executions/"+id+"/respond", map[string]any{"response": "forty-five"}, nil)
		}
		return x.Terminal()
	})
	if x.Status != "completed" || string(x.Result) != `{"sum":45,"words":"forty-five"}` ||
		strings.Contains(x.Stdout, "sk-secret") || !strings.HasPrefix(x.Stdout, "key is ") {
		c.T.Errorf("%s %s %s %q", x.Status, x.Error, x.Result, x.Stdout)
	}
	return id
}

// loginPage returns the page of a new instance.
func loginPage(c *e2e.Container) string {
	c.T.Helper()
	response, err := http.Get(c.URL + "/ui/login")
	e2e.Must(c.T, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	e2e.Must(c.T, err)
	return string(text)
}
