package cli_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestScripts runs whole scripts against the real program: real processes, a real sandbox, a real
// database, curl.
func TestScripts(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	e2e.Must(t, err)
	for _, script := range scripts {
		text, err := os.ReadFile(script)
		e2e.Must(t, err)
		for line := range strings.Lines(string(text)) {
			if word, _, _ := strings.Cut(strings.TrimSpace(line), " "); word == "stop" || word == "skip" {
				t.Errorf("%s: %s ends the script there, and it passes", script, word)
			}
		}
	}
	testscript.Run(t, testscript.Params{
		Dir:   "testdata/script",
		Setup: setupScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"start": cmdStart, "halt": cmdHalt, "http": cmdHTTP, "json": cmdJSON, "keep": cmdKeep, "nosecret": cmdNoSecret,
			"until": cmdUntil, "load": cmdLoad,
			"tlshost": cmdTLSHost,
		},
		RequireExplicitExec: true,
	})
}

func setupScript(env *testscript.Env) error {
	env.Setenv("PATH", e2e.BinDir+":/usr/bin:/bin")
	env.Setenv("AIRLOCK_DATA_DIR", filepath.Join(env.WorkDir, "data"))
	env.Values["state"] = &scriptState{}
	return nil
}

// scriptState is what the commands of one script share.
type scriptState struct {
	server *exec.Cmd
	ended  chan error
	url    string
	last   []byte // body of the last http
}

func of(ts *testscript.TestScript) *scriptState { return ts.Value("state").(*scriptState) }

var servingLine = regexp.MustCompile(`"msg":"serving","addr":"([^"]+)"`)

// cmdStart starts the server and waits for its first proofs: start [NAME=VALUE…]. $A gets its
// address, server.out and server.err its streams. It ends with the script.
func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	s := of(ts)
	out, err := os.OpenFile(ts.MkAbs("server.out"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	defer out.Close()
	log, err := os.OpenFile(ts.MkAbs("server.err"), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	ts.Check(err)
	defer log.Close()
	cmd := exec.Command(filepath.Join(e2e.BinDir, "airlock"), "serve")
	cmd.Env = append([]string{"PATH=/usr/bin:/bin", "AIRLOCK_ADDR=127.0.0.1:0",
		"AIRLOCK_DATA_DIR=" + ts.Getenv("AIRLOCK_DATA_DIR"), "AIRLOCK_POOL=1"}, args...)
	cmd.Stdout, cmd.Stderr = out, log
	ts.Check(cmd.Start())
	s.server, s.ended = cmd, make(chan error, 1)
	ts.Defer(func() { _ = s.stop() })
	ended := s.ended
	go func() { ended <- cmd.Wait() }()
	deadline := time.After(60 * time.Second)
	for {
		select {
		case err := <-ended:
			s.server = nil
			if !neg {
				ts.Fatalf("the server ended: %v\n%s", err, ts.ReadFile("server.err"))
			}
			return
		case <-deadline:
			ts.Fatalf("the server does not come up\n%s", ts.ReadFile("server.err"))
		case <-time.After(20 * time.Millisecond):
		}
		if m := servingLine.FindStringSubmatch(ts.ReadFile("server.err")); m != nil {
			if neg {
				ts.Fatalf("the server came up")
			}
			s.url = "http://" + m[1]
			ts.Setenv("A", s.url)
			ts.Setenv("AIRLOCK_URL", s.url)
			s.awaitProofs(ts)
			return
		}
	}
}

// awaitProofs returns when it is decided which sandboxes are used.
func (s *scriptState) awaitProofs(ts *testscript.TestScript) {
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		response, err := http.Get(s.url + "/health")
		ts.Check(err)
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		ts.Check(err)
		if !strings.Contains(string(body), `"checking":true`) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("the proofs don't end: %s", body)
		}
	}
}

// cmdHalt ends the server and waits: halt [KILL], with SIGKILL instead of SIGTERM. testscript's own
// stop would end the script as passed.
func cmdHalt(ts *testscript.TestScript, _ bool, args []string) {
	s := of(ts)
	if s.server == nil {
		ts.Fatalf("no server runs")
	}
	if len(args) == 1 && args[0] == "KILL" {
		ts.Check(s.server.Process.Kill())
	}
	if err := s.stop(); err != nil && len(args) == 0 {
		ts.Fatalf("the server ended badly: %v\n%s", err, ts.ReadFile("server.err"))
	}
}

func (s *scriptState) stop() error {
	if s.server == nil {
		return nil
	}
	_ = s.server.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-s.ended:
		s.server = nil
		return err
	case <-time.After(30 * time.Second):
		_ = s.server.Process.Kill()
		s.server = nil
		return fmt.Errorf("it had to be killed")
	}
}

// cmdLoad makes a file the last answer: load FILE.
func cmdLoad(ts *testscript.TestScript, _ bool, args []string) {
	of(ts).last = []byte(ts.ReadFile(args[0]))
}
