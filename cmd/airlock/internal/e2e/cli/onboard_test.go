package cli_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/examples/browser"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/profileview"
)

// TestFreshReader knows only a running instance's address. It follows /skill.md literally and gets
// to executions with a sealed credential, without one failed request.
func TestFreshReader(t *testing.T) {
	t.Parallel()
	const token = "revenue-token-0123456789abcdef"
	service := startRevenue(t, token)
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1", "AIRLOCK_LOCAL_SERVICES=api.example.com:443="+service.addr,
		"AIRLOCK_EXTRA_CA="+service.roots)
	r := newReader(t)
	text := r.fetch("curl -s " + in.URL + "/skill.md")
	steps := stepsOf(t, text)
	for _, s := range steps[:6] {
		switch {
		case strings.Contains(s.text, "Tell the person"):
			personLocks(t, in.URL, r.answer, token)
		case strings.Contains(s.text, "Read this text again"):
			text = r.fetch(s.commands[0])
		case strings.Contains(s.text, "Run a script"):
			// The page's own command, with its script for this reader's key.
			r.follow(s.with(scriptUnder(t, text, "## Your profile")))
		default:
			r.follow(s)
		}
	}
	r.stay(steps[6:])
	if r.answer["status"] != "completed" || fmt.Sprint(r.answer["result"]) != "map[status:200]" {
		t.Fatalf("the script for the reader's own key: %v", r.answer)
	}
	network, _ := json.Marshal(r.answer["network"])
	if !strings.Contains(string(network), `"credentials":["API_TOKEN"]`) {
		t.Errorf("no sealed credential was used: %s", network)
	}

	// The page's longer example asks a model in between.
	r.follow(steps[5].with(scriptUnder(t, text, "## Inside a script")))
	if r.answer["status"] != "awaiting_llm" {
		t.Fatalf("the longer example: %v", r.answer)
	}
	r.stay(steps[6:])
	result, _ := r.answer["result"].(map[string]any)
	if r.answer["status"] != "completed" || result["total"] != "30.75" || result["summary"] != "…" {
		t.Errorf("the longer example: %v", r.answer)
	}
	if refused := service.refused(); len(refused) > 0 || service.served() != 2 {
		t.Errorf("the service answered %d requests and refused %v", service.served(), refused)
	}
	if strings.Contains(r.seen.String(), token) {
		t.Error("the reader was told the token")
	}
}

// step is a numbered comment of the page's flow, with its commands.
type step struct {
	text     string
	commands []string
}

var numbered = regexp.MustCompile(`^# (\d+)\. (.+)$`)

func stepsOf(t *testing.T, page string) (steps []step) {
	t.Helper()
	for line := range strings.Lines(blockUnder(t, page, "## The flow", "bash")) {
		line = strings.TrimSpace(line)
		if m := numbered.FindStringSubmatch(line); m != nil {
			steps = append(steps, step{text: m[2]})
			if m[1] != fmt.Sprint(len(steps)) {
				t.Fatalf("step %s is the %dth", m[1], len(steps))
			}
		} else if line != "" {
			steps[len(steps)-1].commands = append(steps[len(steps)-1].commands, line)
		}
	}
	if len(steps) != 8 {
		t.Fatalf("%d steps: %v", len(steps), steps)
	}
	return steps
}

// blockUnder returns the first code block in a language after a heading.
func blockUnder(t *testing.T, page, heading, language string) string {
	t.Helper()
	_, section, found := strings.Cut(page, "\n"+heading+"\n")
	_, block, found2 := strings.Cut(section, "\n```"+language+"\n")
	block, _, found3 := strings.Cut(block, "\n```")
	if !found || !found2 || !found3 {
		t.Fatalf("the page has no %s under %q:\n%s", language, heading, page)
	}
	return block
}

func scriptUnder(t *testing.T, page, heading string) string {
	return blockUnder(t, page, heading, "python") + "\n"
}

var scriptField = regexp.MustCompile(`"script":"[^"]*"`)

func (s step) with(script string) step {
	text, _ := json.Marshal(script)
	quoted := strings.ReplaceAll(string(text), "'", `'\''`)
	return step{s.text, []string{scriptField.ReplaceAllLiteralString(s.commands[0], `"script":`+quoted)}}
}

// reader runs commands of a page in a shell.
type reader struct {
	t      *testing.T
	env    []string
	answer map[string]any // the last
	seen   strings.Builder
}

func newReader(t *testing.T) *reader {
	home := t.TempDir()
	// The status follows the body, so that a failure is seen.
	e2e.Must(t, os.WriteFile(filepath.Join(home, ".curlrc"), []byte(`write-out = "\n%{http_code}"`+"\n"), 0o600))
	return &reader{t: t, env: []string{"PATH=/usr/bin:/bin", "HOME=" + home}}
}

// fetch runs a command, which must succeed, and returns its output.
func (r *reader) fetch(command string) string {
	r.t.Helper()
	shell := exec.Command("sh", "-c", command)
	shell.Env = r.env
	out, err := shell.CombinedOutput()
	at := strings.LastIndex(string(out), "\n")
	if err != nil || at < 0 || !strings.HasPrefix(string(out[at+1:]), "2") {
		r.t.Fatalf("%s\n%v\n%s", command, err, out)
	}
	r.seen.Write(out)
	return string(out[:at])
}

var (
	names  = regexp.MustCompile(`\b([A-Z]+) is (\w+) of the answer`)
	until  = regexp.MustCompile(`until (\w+) is (\w+)`)
	during = regexp.MustCompile(`While (\w+) is ([a-z_]+(?: or [a-z_]+)*)`)
)

// follow runs a step's commands, until its condition holds, and stores its names.
func (r *reader) follow(s step) {
	r.t.Helper()
	for _, command := range s.commands {
		for again := true; again; {
			r.answer = nil
			e2e.Must(r.t, json.Unmarshal([]byte(r.fetch(command)), &r.answer))
			m := until.FindStringSubmatch(s.text)
			again = m != nil && fmt.Sprint(r.answer[m[1]]) != m[2]
		}
	}
	for _, m := range names.FindAllStringSubmatch(s.text, -1) {
		r.env = append(r.env, m[1]+"="+fmt.Sprint(r.answer[m[2]]))
	}
}

// stay follows the steps for a status until none applies.
func (r *reader) stay(steps []step) {
	r.t.Helper()
	for {
		applies := false
		for _, s := range steps {
			m := during.FindStringSubmatch(s.text)
			if m == nil {
				r.t.Fatalf("a step without a condition: %q", s.text)
			}
			for value := range strings.SplitSeq(m[2], " or ") {
				if r.answer[m[1]] == value {
					applies = true
					r.follow(s)
					break
				}
			}
		}
		if !applies {
			return
		}
	}
}

// personLocks follows the page's instructions in a browser: open the link, compare the code, fill
// in the value, press Lock.
func personLocks(t *testing.T, base string, told map[string]any, value string) {
	t.Helper()
	ctx, person := t.Context(), browser.New(base)
	e2e.Must(t, person.Open(ctx, fmt.Sprint(told["setup_url"])))
	e2e.Must(t, person.Enroll(ctx, e2e.SuiteToken, "Ann", "correct horse battery"))
	e2e.Must(t, person.Open(ctx, fmt.Sprint(told["setup_url"])))
	if shown := person.Reads("#pairing"); shown != told["pairing_code"] {
		t.Errorf("the page shows the code %q, the agent was given %q", shown, told["pairing_code"])
	}
	e2e.Must(t, person.Press(ctx, "Save and review", url.Values{
		profileview.LinkField("API_TOKEN"): {profileview.LinkNew}, profileview.ValueField("API_TOKEN"): {value},
		components.HostsField("API_TOKEN"): {"api.example.com"}, profileview.AllowField(0): {"yes"},
	}))
	e2e.Must(t, person.Press(ctx, "Lock the profile", nil))
}

type revenue struct {
	addr, roots string

	mu    sync.Mutex
	codes []int
}

func startRevenue(t *testing.T, token string) *revenue {
	s := &revenue{roots: filepath.Join(t.TempDir(), "roots.pem")}
	authority := e2e.NewTestAuthority(t)
	e2e.Must(t, os.WriteFile(s.roots, authority.PEM, 0o644))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	e2e.Must(t, err)
	s.addr = l.Addr().String()
	server := &http.Server{TLSConfig: authority.Config(t, "api.example.com"),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			code := http.StatusOK
			if r.Header.Get("Authorization") != "Bearer "+token {
				code = http.StatusUnauthorized
			}
			s.mu.Lock()
			s.codes = append(s.codes, code)
			s.mu.Unlock()
			w.WriteHeader(code)
			_, _ = w.Write([]byte(`[{"amount": "10.50"}, {"amount": "20.25"}]`))
		})}
	go func() { _ = server.ServeTLS(l, "", "") }()
	t.Cleanup(func() { server.Close() })
	return s
}

func (s *revenue) served() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.codes)
}

func (s *revenue) refused() (list []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, code := range s.codes {
		if code != http.StatusOK {
			list = append(list, code)
		}
	}
	return list
}
