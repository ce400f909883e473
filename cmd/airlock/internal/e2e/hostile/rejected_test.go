package hostile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestRejectedCredentialIsInTheInbox: a host's 401 to a sealed value is in the Inbox. It leads the
// run's page, and the credential's page has the script's line.
func TestRejectedCredentialIsInTheInbox(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	s := newSiege(t)
	profile := s.profile("", []string{"echo.test"})
	x := s.in.Await(s.in.Submit(profile, `
import httpx
answer = httpx.get("https://echo.test/refuse", headers={"Authorization": "Bearer " + settings["SEALED"]})
answer.raise_for_status()`, 60*time.Second), 60*time.Second)
	if x.Status != "error" || !strings.Contains(x.Error, "401") {
		t.Fatalf("%s: %s", x.Status, x.Error)
	}
	person := s.in.Person()
	for page, want := range map[string]string{
		"/ui/inbox":              "SEALED rejected by echo.test",
		"/ui/credentials/SEALED": "GET /refuse",
		"/ui/executions":         "Client error &#39;401 Unauthorized&#39;",
	} {
		if text := person.Get(s.in, page); !strings.Contains(text, want) {
			t.Errorf("%s does not say %q", page, want)
		}
	}
	link := e2e.ExecutionLink.FindString(person.Get(s.in, "/ui/credentials/SEALED"))
	if text := person.Get(s.in, link); !strings.Contains(text, "echo.test answered 401 to SEALED.") {
		t.Error("the page of the run does not say what was rejected")
	}
}
