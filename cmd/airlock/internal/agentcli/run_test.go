package agentcli

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/terminaltest"
)

// TestExitCodesAreDocumented: scripts are written from these two texts.
// e2e/cli/testdata/script/run.txtar meets each code.
func TestExitCodesAreDocumented(t *testing.T) {
	guide, err := os.ReadFile("../../../../docs/run.md")
	if err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("../e2e/cli/testdata/script/run.txtar")
	if err != nil {
		t.Fatal(err)
	}
	usage := strings.Join(strings.Fields(runUsage), " ")
	for code, word := range map[int]string{
		cli.ExitOK: "completed", cli.ExitError: "error", cli.ExitUsage: "wrong usage", exitTimeout: "timeout",
		exitCancelled: "cancelled",
		exitRefused:   "refused by Airlock", exitUnreachable: "Airlock can't be reached",
		exitPerson: "a person has to act and did not",
	} {
		if !strings.Contains(usage, fmt.Sprintf("%d %s", code, word)) {
			t.Errorf("the usage has no %d %s", code, word)
		}
		if !strings.Contains(string(guide), fmt.Sprintf("| %d | %s", code, word)) {
			t.Errorf("docs/run.md has no %d %s", code, word)
		}
		if code != cli.ExitOK && !strings.Contains(string(script), fmt.Sprintf("'code %d'", code)) {
			t.Errorf("run.txtar does not meet %d", code)
		}
	}
}

// TestRunTellsWhatWasRefused: a readable request is told as a request. A name without lookup has no
// port, and repetitions are told once.
func TestRunTellsWhatWasRefused(t *testing.T) {
	var told strings.Builder
	j := &job{Console: cli.Console{Out: io.Discard, Err: &told}}
	denied := string(app.VerdictDenied)
	request := connection{Host: "echo.test", Port: 443, Verdict: denied, Line: 3, Method: "GET",
		Path: "/x?a=\x1b[1m", Hint: "Send it as it is."}
	code := j.report(execution{Status: app.StatusCompleted, Result: []byte("1"), Network: []connection{
		request, request,
		{Host: "api.test", Port: 443, Verdict: denied, Method: "POST", Path: "/"},
		{Host: "unlisted.test", Verdict: denied, Hint: "Ask for the host."},
		{Host: "::1", Port: 22, Verdict: denied, Hint: "Ask for the host."},
		{Host: "fine.test", Port: 443, Verdict: string(app.VerdictAllowed), Method: "GET", Path: "/"},
	}})
	want := `airlock: refused GET /x?a=\x1b[1m to echo.test:443, line 3: Send it as it is.
airlock: refused POST / to api.test:443
airlock: no connection to unlisted.test: Ask for the host.
airlock: no connection to [::1]:22: Ask for the host.
`
	if told.String() != want || code != cli.ExitOK {
		t.Errorf("%d\n%s\nwant\n%s", code, told.String(), want)
	}
}

// TestHoleF10RunEscapesErrors: errors of scripts and servers can't pass for another line of output,
// also in a log.
func TestHoleF10RunEscapesErrors(t *testing.T) {
	var told strings.Builder
	j := &job{Console: cli.Console{Out: io.Discard, Err: &told}}
	j.report(execution{Status: "error", Error: "e\x1b[8m\nairlock: completed\u202e"})
	j.report(execution{Status: "lost\nairlock: completed", Error: "gone"})
	want := `airlock: error: e\x1b[8m\nairlock: completed\u202e
airlock: lost\nairlock: completed: gone
`
	if told.String() != want {
		t.Errorf("%s\nwant\n%s", told.String(), want)
	}
}

// TestRunOnATerminal: text of scripts and hosts can't act on a terminal. Files get it unchanged.
func TestRunOnATerminal(t *testing.T) {
	screen, keyboard := terminaltest.Open(t)
	x := execution{Status: app.StatusError, Stdout: "a\x1b]52;c;cm0gLXJm\x07b\n\tc\r\n", Stderr: "\u009b2Jd\u202e",
		Error: "e\x1b[8m", Traceback: "f\x1b[1A"}
	job := func(out io.Writer) *job {
		j, err := readJob(cli.Console{
			In: strings.NewReader("1"), Out: out, Err: out, Env: []string{"AIRLOCK_PROFILE=ark_0000000000000000"},
		}, []string{"-"})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	var file strings.Builder
	job(&file).report(x)
	if !strings.Contains(file.String(), x.Stdout) || !strings.Contains(file.String(), x.Stderr) {
		t.Errorf("%q", file.String())
	}
	job(keyboard).report(x)
	const end = "\x04" // which no report can write here
	_, err := io.WriteString(keyboard, end)
	if err != nil {
		t.Fatal(err)
	}
	text, err := bufio.NewReader(screen).ReadString(end[0])
	if err != nil {
		t.Fatal(err)
	}
	text = strings.ReplaceAll(strings.TrimSuffix(text, end), "\r\n", "\n")
	want := `a\x1b]52;c;cm0gLXJm\ab` + "\n\tc\n" + `\u009b2Jd\u202e` + "\n" + `f\x1b[1A` + "\nairlock: error: " +
		`e\x1b[8m` + "\n"
	if text != want {
		t.Errorf("%q, want %q", text, want)
	}
}

// TestStoppedCommandHoldsNobody: stopping a run while a shell's child thinks ends it at once, which
// cancels the execution.
func TestStoppedCommandHoldsNobody(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out, started := io.Pipe()
	j := &job{own: started, Console: cli.Console{Env: os.Environ()}, llmCommand: "echo up >&2; sleep 3600; echo late"}
	go func() {
		_, _ = out.Read(make([]byte, 8))
		cancel()
		_, _ = io.Copy(io.Discard, out)
	}()
	if answer, err := j.askCommand(ctx, question{Prompt: "?"}); err == nil {
		t.Errorf("it answered %+v", answer)
	}
}

// TestFilesAreSentAndTakenAgain: these calls are repeated as the others are.
func TestFilesAreSentAndTakenAgain(t *testing.T) {
	calls := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls[r.Method]++; calls[r.Method] == 1 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = io.WriteString(w, `{"file_id":"f"}`)
	}))
	defer server.Close()
	in, out := filepath.Join(t.TempDir(), "in"), t.TempDir()
	if err := os.WriteFile(in, []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	j := &job{agent: agent{api: client.New(server.URL)}, inputFiles: map[string]string{"a": in}, out: out}
	if err := j.sendFiles(t.Context()); err != nil || j.request.Files["a"] != "f" {
		t.Errorf("%v, %v", j.request.Files, err)
	}
	if err := j.takeArtifacts(t.Context(), execution{ID: "x", Artifacts: []artifact{{Name: "b"}}}); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(out, "b")); err != nil || string(got) != `{"file_id":"f"}` {
		t.Errorf("%q, %v", got, err)
	}
}

// A script is sent as the characters that Python would read, or not at all.
func TestTextIsUTF8(t *testing.T) {
	path := filepath.Join(t.TempDir(), "script.py")
	for text, want := range map[string]string{
		"\xef\xbb\xbfprint('ok')": "print('ok')", "print('é')": "print('é')", "print('\xe9')": "",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := readText(nil, path); (err == nil) != (want != "") || got != want {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
