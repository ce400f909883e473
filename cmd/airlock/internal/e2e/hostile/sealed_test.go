package hostile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestSealedValueIsNowhereInTheBox (F20) searches a box for the value of a sealed credential in
// use. From outside it reads memory, environment, command line and files of every process of the
// box, and of its plugin.
func TestSealedValueIsNowhereInTheBox(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	s := newSiege(t)
	s.in.Stop()
	s.in.Env = append(s.in.Env, "AIRLOCK_LLM_WAIT=2m")
	s.in.Start()
	profile := s.profile("", []string{"echo.test", "body.test"})
	x := s.in.Submit(profile, `
import aiohttp, asyncio, httpx, json, requests, subprocess
key, body_key = settings["SEALED"], settings["SEALED_BODY"]
answers = []
with httpx.Client() as client:
    for _ in range(20):
        answers.append(client.get("https://echo.test/", headers={"Authorization": "Bearer " + key, "X-Key": key},
                                  auth=("me", key)).text)
        answers.append(client.post("https://body.test/", json={"key": body_key}, params={"k": body_key}).text)
answers.append(requests.get("https://echo.test/", headers={"Cookie": "a=" + key}).text)
subprocess.run(["curl", "-sS", "-u", "me:" + key, "https://echo.test/"], check=True, capture_output=True)
async def ask():
    async with aiohttp.ClientSession() as session, session.get("https://echo.test/", headers={"X-Key": key}) as answer:
        return await answer.text()
answers.append(asyncio.run(ask()))
open("/tmp/answers", "w").write("".join(answers))
set_result(llm.complete("marker-in-the-memory-of-the-box " + key))`, 60*time.Second)
	var waiting e2e.Execution
	e2e.Eventually(t, 60*time.Second, "the script asks its question", func() bool {
		s.in.Call(http.MethodGet, "/executions/"+x.ID, nil, &waiting)
		return waiting.Status == "awaiting_llm" || waiting.Terminal()
	})
	if waiting.Status != "awaiting_llm" {
		t.Fatalf("%s: %s\n%s", waiting.Status, waiting.Error, waiting.Stderr)
	}
	secrets := map[string][]byte{}
	for name, value := range s.sealed {
		secrets[name] = []byte(value)
		secrets[name+" in JSON"] = []byte(strings.ReplaceAll(value, "/", `\/`))
	}
	marked := 0
	for _, p := range s.in.Processes() {
		if n := find(t, p.PID, []byte("marker-in-the-memory-of-the-box")); n > 0 {
			marked++
		}
		for name, value := range secrets {
			if n := find(t, p.PID, value); n > 0 {
				t.Errorf("%s is %d times in the memory of %q", name, n, p.Line)
			}
			for _, place := range []string{"environ", "cmdline"} {
				if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/%s", p.PID, place)); bytes.Contains(text, value) {
					t.Errorf("%s is in the %s of %q", name, place, p.Line)
				}
			}
		}
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/root/tmp/*", p.PID))
		for _, path := range files {
			text, _ := os.ReadFile(path)
			for name, value := range secrets {
				if bytes.Contains(text, value) {
					t.Errorf("%s is in %s", name, path)
				}
			}
		}
	}
	// Prove the search: it must find the script's text in the box, and the values where they may
	// be.
	if marked == 0 {
		t.Error("not even the script's own text was found in the memory of any process")
	}
	if find(t, s.in.Server.Process.Pid, []byte(s.sealed["SEALED"])) == 0 {
		t.Error("the server's own memory does not hold the value; the search finds nothing, or the value was not used")
	}
	if !strings.Contains(s.tls.SentTo("echo.test"), s.sealed["SEALED"]) ||
		!strings.Contains(s.tls.SentTo("body.test"), s.sealed["SEALED_BODY"]) {
		t.Error("the values did not reach their hosts")
	}
	s.in.Call(http.MethodPost, "/executions/"+x.ID+"/respond", map[string]string{"response": "done"}, nil)
	if x = s.in.Await(x, 30*time.Second); x.Status != "completed" {
		t.Errorf("%s: %s", x.Status, x.Error)
	}
	detect(s.in, s.secrets)
}

func find(t *testing.T, pid int, text []byte) int {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if errors.Is(err, os.ErrNotExist) {
		return 0
	}
	e2e.Must(t, err)
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	e2e.Must(t, err)
	defer memory.Close()
	count := 0
	for line := range strings.Lines(string(maps)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[1], "rw") {
			continue
		}
		from, to, _ := strings.Cut(fields[0], "-")
		start, _ := strconv.ParseUint(from, 16, 64)
		end, _ := strconv.ParseUint(to, 16, 64)
		piece := make([]byte, end-start)
		if n, _ := io.ReadFull(io.NewSectionReader(memory, int64(start), int64(end-start)), piece); n > 0 {
			count += bytes.Count(piece[:n], text)
		}
	}
	return count
}
