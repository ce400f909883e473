package sandboxtest

import (
	"embed"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins"
)

//go:embed scripts/*.py
var scripts embed.FS

type hostileScript struct {
	file string
	// code is how the guest must end; the scripts themselves end with 0.
	code int
	// tier is the only one that the script is for; empty means every one.
	tier plugins.Tier
}

func hostileScripts() []hostileScript {
	return []hostileScript{
		{file: "files.py", tier: plugins.TierFull},
		{file: "files_shared.py", tier: plugins.TierRestricted},
		{file: "processes.py", tier: plugins.TierFull},
		{file: "processes_shared.py", tier: plugins.TierRestricted},
		{file: "kernel.py"},
		{file: "network.py", tier: plugins.TierFull},
		{file: "network_shared.py", tier: plugins.TierRestricted},
		{file: "resources.py"},
		{file: "signals.py"},
		{file: "overflow.py", code: 139},
	}
}

func hostile(t *testing.T, b *bench) {
	canary := listen(t)
	secret := "airlock-canary-" + token()
	t.Setenv("AIRLOCK_CANARY", secret)
	file := t.TempDir() + "/canary"
	if err := os.WriteFile(file, []byte(secret), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, s := range hostileScripts() {
		if s.tier != "" && s.tier != b.report.Tier {
			continue
		}
		t.Run(s.file, func(t *testing.T) {
			code, err := scripts.ReadFile("scripts/" + s.file)
			if err != nil {
				t.Fatal(err)
			}
			mark := token()
			o := python(string(code), strconv.Itoa(canary.port), file, b.cfg.StateDir, mark, string(b.report.Tier))
			r := b.run(t, plugins.Spec{}, o)
			if r.out != "" || r.Code != s.code || r.Reason != plugins.ReasonExit {
				t.Errorf("found a way out, or broke: %+v\n%s", r.Exit, r.out)
			}
			if strings.Contains(r.out, secret) {
				t.Error("read the host's secret")
			}
			noneWith(t, mark, 0)
			canary.untouched(t)
			b.nothingLeft(t)
		})
	}
}

// canaryListener listens on the host's loopback and must never be reached.
type canaryListener struct {
	port    int
	touched chan string
}

func listen(t *testing.T) *canaryListener {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := &canaryListener{port: l.Addr().(*net.TCPAddr).Port, touched: make(chan string, 16)}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.touched <- conn.RemoteAddr().String()
			conn.Close()
		}
	}()
	return c
}

func (c *canaryListener) untouched(t *testing.T) {
	t.Helper()
	select {
	case from := <-c.touched:
		t.Errorf("the host's loopback was reached from %s", from)
	default:
	}
}
