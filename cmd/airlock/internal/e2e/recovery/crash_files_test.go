package recovery_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// filesLoad sends files and takes artifacts throughout.
type filesLoad struct {
	c      *crash
	cancel context.CancelFunc
	client sync.WaitGroup

	// only used by the client, and after its end
	sent []keptFile
	left []keptFile
	runs int // that ended
}

// keptFile is one that got a 2xx.
type keptFile struct {
	id      string // of a file
	url     string // of an artifact: its path
	name    string
	content []byte
}

// mostFiles bounds the kept files: the data directory is small.
const mostFiles = 400

// leaveCopy leaves what it was given.
const leaveCopy = "save_file('copy', files.open('a', 'rb').read() * 2)"

// begin is called again after rest.
func (l *filesLoad) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	random := rand.New(rand.NewPCG(*seed, 7))
	l.client.Go(func() {
		for n := 0; ctx.Err() == nil && len(l.sent) < mostFiles; n++ {
			content := make([]byte, 1+random.IntN(20_000))
			for i := range content {
				content[i] = byte(random.Uint32())
			}
			l.one(content, random.IntN(3) == 0)
			time.Sleep(50 * time.Millisecond)
		}
	})
}

func (l *filesLoad) end() {
	l.cancel()
	l.client.Wait()
}

func (l *filesLoad) profile() string { return l.c.profiles["bubblewrap"] }

func (l *filesLoad) one(content []byte, run bool) {
	name := fmt.Sprintf("f%d", len(l.sent))
	var file struct {
		ID string `json:"file_id"`
	}
	code, text := l.ask("POST", "/files?name="+name, content)
	if code != http.StatusCreated {
		if code >= 400 && code < 500 {
			l.c.t.Errorf("a good file was answered with %d %s", code, text)
		}
		return
	}
	if json.Unmarshal(text, &file) != nil || file.ID == "" {
		l.c.t.Errorf("a file was accepted with %s", text)
		return
	}
	l.sent = append(l.sent, keptFile{id: file.ID, name: name, content: content})
	if !run {
		return
	}
	body, err := json.Marshal(map[string]any{"script": leaveCopy, "files": map[string]string{"a": file.ID}})
	if err != nil {
		l.c.t.Error(err)
		return
	}
	var x struct {
		e2e.Execution
		Artifacts []struct{ Name, URL string }
	}
	code, text = l.ask("POST", "/execute?wait=15", body)
	if code == http.StatusNotFound {
		l.c.t.Errorf("%s was accepted and is not there: %s", name, text)
	}
	if code != http.StatusOK || json.Unmarshal(text, &x) != nil || x.Status != "completed" {
		return
	}
	l.runs++
	if len(x.Artifacts) == 1 && x.Artifacts[0].URL != "" {
		l.left = append(l.left, keptFile{url: "/executions/" + x.ID + "/artifacts/copy", name: name,
			content: append(bytes.Clone(content), content...)})
	}
}

// judge reads everything that got a 2xx.
func (l *filesLoad) judge() {
	t := l.c.t
	t.Helper()
	for _, a := range l.left {
		if code, text := l.ask("GET", a.url, nil); code != http.StatusOK || !bytes.Equal(text, a.content) {
			t.Errorf("an artifact of %s: %d, %d bytes of %d", a.name, code, len(text), len(a.content))
		}
	}
	for from := 0; from < len(l.sent); from += 100 {
		some := l.sent[from:min(from+100, len(l.sent))]
		given, want := map[string]string{}, map[string]string{}
		for _, f := range some {
			given[f.name], want[f.name] = f.id, digest(f.content)
		}
		body, err := json.Marshal(map[string]any{"files": given, "script": "import hashlib\n" +
			"set_result({n: hashlib.sha256(files.open(n, 'rb').read()).hexdigest() for n in files})"})
		e2e.Must(t, err)
		var x struct {
			Status, Error string
			Result        map[string]string
		}
		code, text := l.ask("POST", "/execute?wait=25", body)
		if code != http.StatusOK || json.Unmarshal(text, &x) != nil || x.Status != "completed" {
			t.Errorf("files that were accepted: %d %.500s", code, text)
			continue
		}
		for name, sum := range want {
			if x.Result[name] != sum {
				t.Errorf("%s has another content", name)
			}
		}
	}
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// ageStrays makes contents without rows a day old. The server must be stopped; its next start
// collects them.
func (l *filesLoad) ageStrays() (strays []string) {
	t := l.c.t
	t.Helper()
	paths, err := filepath.Glob(l.c.in.Dir + "/files/airlock-blob-*")
	e2e.Must(t, err)
	old := time.Now().Add(-49 * time.Hour) // half-written ones go after two days
	for _, path := range paths {
		name := filepath.Base(path)
		if !strings.HasSuffix(name, ".part") && l.c.in.Count("SELECT count(*) FROM blobs WHERE name = '"+name+"'") > 0 {
			continue
		}
		e2e.Must(t, os.Chtimes(path, old, old))
		strays = append(strays, path)
	}
	return strays
}

// collected waits until a started server has removed strays.
func (l *filesLoad) collected(strays []string) {
	l.c.t.Helper()
	e2e.Eventually(l.c.t, time.Minute, "contents that nobody knows are gone", func() bool {
		for _, path := range strays {
			if _, err := os.Lstat(path); err == nil {
				return false
			}
		}
		return true
	})
}

// report fails if little was tried.
func (l *filesLoad) report(strays int) {
	l.c.t.Logf("%d files were accepted, %d artifacts left in %d runs; %d contents without a row", len(l.sent), len(l.left),
		l.runs, strays)
	if len(l.sent) < 5 || len(l.left) == 0 {
		l.c.t.Errorf("only %d files and %d artifacts", len(l.sent), len(l.left))
	}
}

func (l *filesLoad) ask(method, path string, body []byte) (int, []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), 40*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, l.c.in.URL+path, bytes.NewReader(body))
	if err != nil {
		l.c.t.Error(err)
		return 0, nil
	}
	request.Header.Set("Authorization", "Bearer "+l.profile())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, nil
	}
	return response.StatusCode, text
}
