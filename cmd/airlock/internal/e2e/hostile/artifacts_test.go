package hostile_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// TestArtifactsEverywhere gives a script a file and takes what it left, on every backend: at its end and
// when it runs into its timeout.
func TestArtifactsEverywhere(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	_, env := e2e.DockerSettings(t)
	env = append(env, e2e.SSHSettings(sshtest.New(t, sshtest.Options{}))...)
	env = append(env, "AIRLOCK_SANDBOX="+strings.Join(e2e.Backends(), ","), "AIRLOCK_POOL=1")
	in := e2e.StartInstance(t, env...)
	in.AllReady(e2e.Backends()...)
	content := strings.Repeat("0123456789abcdef", 64<<10) // 1 MiB
	const copies = "import os, time\nsave_file('copy', files.open('a.txt').read())\nos.symlink('/etc/passwd', os.environ['AIRLOCK_OUT'] + '/link')\n"
	for _, backend := range e2e.Backends() {
		profile := in.Placed(backend)
		call := func(method, path, body string) []byte {
			t.Helper()
			request, err := http.NewRequestWithContext(t.Context(), method, in.URL+strings.TrimPrefix(path, in.URL), strings.NewReader(body))
			e2e.Must(t, err)
			request.Header.Set("Authorization", "Bearer "+profile)
			response, err := http.DefaultClient.Do(request)
			e2e.Must(t, err)
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			e2e.Must(t, err)
			return text
		}
		var file struct {
			ID string `json:"file_id"`
		}
		e2e.Must(t, json.Unmarshal(call("POST", "/files?name=a.txt", content), &file))
		for want, script := range map[string]string{"completed": copies, "timeout": copies + "time.sleep(99)"} {
			body, err := json.Marshal(map[string]any{"script": script, "timeout": 4, "files": map[string]string{"a.txt": file.ID}})
			e2e.Must(t, err)
			var x struct {
				Status, Error string
				Artifacts     []struct {
					Name, URL string
					Withheld  *struct{ Reason string }
				}
			}
			began := time.Now()
			e2e.Must(t, json.Unmarshal(call("POST", "/execute?wait=50", string(body)), &x))
			if x.Status != want || len(x.Artifacts) != 2 {
				t.Errorf("%s: %+v", backend, x)
				continue
			}
			if !bytes.Equal(call("GET", x.Artifacts[0].URL, ""), []byte(content)) || x.Artifacts[1].Withheld == nil {
				t.Errorf("%s: %+v", backend, x.Artifacts)
			}
			t.Logf("%s, %s: %v", backend, want, time.Since(began).Round(10*time.Millisecond))
		}
	}
}
