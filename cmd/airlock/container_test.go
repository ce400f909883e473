package main

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestImage runs the image as people do, and a real execution each time. With a Debian root it is
// the whole image.
func TestImage(t *testing.T) {
	t.Parallel()
	i := newImage(t)
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
		{"profile", inFull(t), "bubblewrap full"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := i.run(t, tt.name, append(tt.options, "-v", tt.name+":/data")...)
			if got := c.isolation(); got != tt.isolation {
				t.Errorf("isolation is %q, want %q", got, tt.isolation)
			}
			c.flow()
			if logs := c.logs(); !strings.Contains(logs, "Airlock admin token: atk_") || strings.Contains(logs, "outlive") {
				t.Errorf("the log\n%s", logs)
			}
			if code := c.stop(); code != "0" {
				t.Errorf("exit code %s\n%s", code, c.logs())
			}
		})
	}
	t.Run("as it comes", func(t *testing.T) { asItComes(t, i) })
	t.Run("published port", func(t *testing.T) {
		c := i.runPublished(t, "published", "-v", "published:/data")
		c.flow()
		if code := c.stop(); code != "0" {
			t.Errorf("exit code %s\n%s", code, c.logs())
		}
	})
	t.Run("no volume", func(t *testing.T) {
		c := i.run(t, "novolume")
		if logs := c.logs(); !strings.Contains(logs, "will outlive this container") ||
			!strings.Contains(logs, "docker run -v airlock-data:/data") {
			t.Errorf("no warning in the log\n%s", logs)
		}
		if page := c.page("/ui/login"); !strings.Contains(page, "Storage is temporary.") ||
			!strings.Contains(page, "docker logs") {
			t.Errorf("no warning on the page\n%s", page)
		}
	})
	t.Run("more packages", func(t *testing.T) { morePackages(t, i) })
	if *imageRoot != "" {
		t.Run("packages", func(t *testing.T) { dataPackages(t, i, "packages") })
		t.Run("packages in full isolation", func(t *testing.T) {
			dataPackages(t, i, "packages-full", inFull(t)...)
		})
		if got, want := i.docker("run", "--rm", "--network", "none", i.name, "version"),
			fmt.Sprintf("airlock %s (commit %s, go", imageVersion, imageCommit); !strings.HasPrefix(got, want) {
			t.Errorf("airlock version: %q, want %q", got, want)
		}
		if size := i.size(); size > maxImage {
			t.Errorf("the image takes %d MB, more than %d", size/1e6, int64(maxImage/1e6))
		} else {
			t.Logf("the image takes %d MB", size/1e6)
		}
	}
}

// asItComes is docker run with nothing but a port and a volume: who has which rights, what
// survives, what is left.
func asItComes(t *testing.T, i *image) {
	// The check of the image's health is its own, only more frequent.
	c := i.run(t, "plain", "-v", "plain:/data", "--health-interval", "1s", "--health-retries", "1")
	if got := c.isolation(); got != "landlock restricted" {
		t.Errorf("isolation is %q", got)
	}
	first, server := c.firstPID(), c.serverPID()
	for _, p := range []struct {
		who                  string
		pid                  int
		permitted, effective string
	}{
		{"the first process", first, "0000000000000000", "0000000000000000"},
		{"the server", server, "00000000000000e0", "0000000000000000"},
		{"the landlock plugin", c.child(server, "plugin landlock"), "00000000000000e0", "00000000000000e0"},
	} {
		for field, want := range map[string]string{"Uid": "10001\t10001\t10001\t10001", "Gid": "10001\t10001\t10001\t10001",
			"Groups": "", "NoNewPrivs": "1", "CapPrm": p.permitted, "CapEff": p.effective} {
			if got := c.statusOf(p.pid, field); got != want {
				t.Errorf("%s has %s %q, want %q", p.who, field, got, want)
			}
		}
	}
	if out := c.docker("exec", c.name, "airlock", "health"); out != "ok, sandbox landlock, isolation restricted" {
		t.Errorf("airlock health: %q", out)
	}
	c.turns("healthy")
	must(t, syscall.Kill(server, syscall.SIGSTOP))
	c.turns("unhealthy")
	must(t, syscall.Kill(server, syscall.SIGCONT))
	c.turns("healthy")
	done := c.flow()

	// A plugin that is killed leaves boxes to the first process, which takes what they end with.
	must(t, syscall.Kill(c.child(server, "plugin landlock"), syscall.SIGKILL))
	eventually(t, time.Minute, "no dead process is left", func() bool {
		return !slices.ContainsFunc(childrenOf(t, first), func(p process) bool {
			fields, err := statOf(p.pid)
			return err == nil && (fields[0] == "Z" || p.pid != server)
		})
	})
	c.flow()

	// SIGTERM while a script runs.
	profile := c.admin("", "profile", "create")
	c.admin("", "profile", "lock", profile)
	cut := c.submit(profile, "import time\nprint('up', flush=True)\ntime.sleep(600)", 10*time.Minute)
	eventually(t, time.Minute, "the script runs", func() bool {
		var now agentView
		c.call(http.MethodGet, "/executions/"+cut.ID, nil, &now)
		return now.Status == "running"
	})
	if code := c.stop(); code != "0" {
		t.Errorf("exit code %s\n%s", code, c.logs())
	}
	c.again()
	var ended, kept agentView
	c.call(http.MethodGet, "/executions/"+cut.ID, nil, &ended)
	c.call(http.MethodGet, "/executions/"+done, nil, &kept)
	if ended.Status != "error" || ended.Error == "" || kept.Status != "completed" {
		t.Errorf("after the restart: %+v, %+v", ended, kept)
	}
	c.flow()
}

// turns waits until the engine finds the container to be so, by the image's health check.
func (c *contained) turns(health string) {
	c.t.Helper()
	eventually(c.t, time.Minute, "the container is "+health,
		func() bool { return c.docker("inspect", "-f", "{{.State.Health.Status}}", c.name) == health })
}

// morePackages builds the image of the two lines that docs/deploy.md gives.
func morePackages(t *testing.T, i *image) {
	lines := twoLines(t)
	name := "tabulate"
	if *imageRoot == "" {
		name = "added"
		// Like Debian's matplotlib, it opens its file in /etc if that is there.
		lines[1] = `RUN mkdir -p /usr/lib/python3/dist-packages && echo 'open("/etc/matplotlibrc").close()' > /usr/lib/python3/dist-packages/added.py && echo 'backend: agg' > /etc/matplotlibrc`
	}
	own := &image{Engine: i.Engine, t: t, name: "own:test"}
	lines[0] = strings.Replace(lines[0], "ghcr.io/computclaw/airlock", i.name, 1)
	own.build(own.name, strings.Join(lines, "\n")+"\n")
	c := own.run(t, "own", "-v", "own:/data")
	profile := c.admin("", "profile", "create")
	c.admin("", "profile", "lock", profile)
	x := c.await(c.submit(profile, "import "+name+"\nset_result("+name+".__name__)", time.Minute), 2*time.Minute)
	if x.Status != "completed" || string(x.Result) != `"`+name+`"` {
		t.Errorf("%s %s %s", x.Status, x.Error, x.Stderr)
	}
}

// twoLines is the Dockerfile in docs/deploy.md.
func twoLines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/deploy.md")
	must(t, err)
	_, after, found := strings.Cut(string(text), "```dockerfile\n")
	block, _, closed := strings.Cut(after, "```")
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if !found || !closed || len(lines) != 2 || !strings.HasPrefix(lines[0], "FROM ghcr.io/computclaw/airlock") {
		t.Fatalf("docs/deploy.md has no Dockerfile of two lines: %q", lines)
	}
	return lines
}

// dataPackages imports what the image promises.
func dataPackages(t *testing.T, i *image, name string, options ...string) {
	c := i.run(t, name, append(options, "-v", name+":/data")...)
	profile := c.admin("", "profile", "create")
	c.admin("", "profile", "lock", profile)
	x := c.await(c.submit(profile, `
import sys, io, httpx, requests, pandas, numpy, psycopg, psycopg2, oracledb, openpyxl, matplotlib
import matplotlib.pyplot as plt
plt.plot([1, 2, 3]); picture = io.BytesIO(); plt.savefig(picture)
book = io.BytesIO(); pandas.DataFrame({"a": [1, 2]}).to_excel(book)
set_result([sys.version_info[:2], int(pandas.DataFrame({"a": numpy.arange(4)}).a.sum()), picture.tell() > 1000, book.tell() > 1000])`, time.Minute), 2*time.Minute)
	if x.Status != "completed" || string(x.Result) != "[[3,13],6,true,true]" {
		t.Errorf("%s %s %s %s", x.Status, x.Error, x.Result, x.Stderr)
	}
}
