package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/views/browsertest"
)

// encodesAKey cuts the code of an injected private key off, and sends a request in line 12 over a
// connection that line 7 opened.
const encodesAKey = `import base64
import requests
k = settings.get("SIGNING_KEY")
print(base64.b64encode(k.encode()).decode()[:400])
# The first request opens the connection.
session = requests.Session()
session.get("http://data.example.com/first")
total = 0
for amount in (297000, 37.5):
    total += amount
# The second one finds it open.
session.get("http://data.example.com/second")
set_result({"total": total, "n": 1})
`

// TestExecutionPageTellsMasksAndLines: a real run's page masks the cut code of a key and leaves the
// result whole, and a request over a kept connection has the line that sent it.
func TestExecutionPageTellsMasksAndLines(t *testing.T) {
	t.Parallel()
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(200 * time.Millisecond) // the line of a request may come later than the request, on a busy machine
		_, _ = io.WriteString(w, "ok")
	}))
	t.Cleanup(host.Close)
	in := e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1",
		"AIRLOCK_LOCAL_SERVICES=data.example.com:80="+host.Listener.Addr().String())
	key := "-----BEGIN PRIVATE KEY-----\n" +
		strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n", 8) + "-----END PRIVATE KEY-----\n"
	in.Admin(key, "credential", "set", "SIGNING_KEY", "--mode", "injected")
	profile := in.Placed("bubblewrap", "--key", "SIGNING_KEY", "--host", "data.example.com:80")
	if x := in.Await(in.Submit(profile, encodesAKey, time.Minute), 2*time.Minute); x.Status != "completed" {
		t.Fatalf("%+v", x)
	}
	page := e2e.ExecutionLink.FindString(in.Person().Get(in, "/ui/executions"))
	b := browsertest.New(t, in.URL)
	b.Size(390, 844)
	b.Open("/ui/login")
	b.Type("#name", "Tester")
	b.Type("#password", "a password of the tests")
	b.Click("form .primary")
	b.Heading("Overview")
	b.Open(page)
	b.Until(`document.querySelector("#result-text")`)
	if got := b.Text(`JSON.stringify(JSON.parse(document.querySelector("#result-text").textContent))`); got != `{"total":297037.5,"n":1}` {
		t.Errorf("the result is shown as %s", got)
	}
	if got := b.Text(`document.querySelector("#stdout-text").textContent`); !strings.Contains(got, "[REDACTED") ||
		strings.Contains(got, "LS0tLS1CRUdJTiBQUklWQVRF") {
		t.Errorf("the output is shown as %q", got)
	}
	got := b.Text(`[...document.querySelectorAll("#network tbody tr")].map((r) =>
		r.querySelector(".request").innerText.trim() + " in line " + r.querySelector("[data-label=Line]").innerText.trim()).join(", ")`)
	if got != "GET /first in line 7, GET /second in line 12" {
		t.Errorf("the network is shown as %q", got)
	}
}
