package hostile_test

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestHoleG1UnsolicitedAnswerInTheLog: net/http logs the beginning of an unsolicited answer. Here
// it is a body that quotes a sealed value.
func TestHoleG1UnsolicitedAnswerInTheLog(t *testing.T) {
	t.Parallel()
	authority := e2e.NewTestAuthority(t)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	e2e.Must(t, os.WriteFile(roots, authority.PEM, 0o600))
	listener, err := tls.Listen("tcp", "127.0.0.1:0", authority.Config(t, "echo.test"))
	e2e.Must(t, err)
	var host sync.WaitGroup
	ended := make(chan net.Conn, 100) // by Airlock, after it has read what is too much
	host.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			host.Go(func() { answersTooMuch(conn); ended <- conn })
		}
	})
	t.Cleanup(func() { listener.Close(); host.Wait() })

	in := e2e.StartInstance(t, "AIRLOCK_LOCAL_SERVICES=echo.test:443="+listener.Addr().String(), "AIRLOCK_EXTRA_CA="+roots)
	value := "sk-" + rand.Text()
	in.Admin(value, "credential", "set", "TOKEN", "--host", "echo.test")
	profile := in.Admin("", "profile", "create", "--host", "echo.test", "--key", "TOKEN")
	in.Admin("", "profile", "lock", profile)
	x := in.Await(in.Submit(profile, `
import httpx
with httpx.Client(headers={"Authorization": "Bearer " + settings["TOKEN"]}) as client:
    for method in 4 * ["DELETE", "HEAD"]:
        try: client.request(method, "https://echo.test/")
        except httpx.HTTPError: pass`, time.Minute), time.Minute)
	if x.Status != "completed" {
		t.Fatalf("%s: %s\n%s", x.Status, x.Error, x.Stderr)
	}
	for range 2 {
		<-ended
	}
	log, err := os.ReadFile(in.Log)
	e2e.Must(t, err)
	if text := string(log); strings.Contains(text, value) || strings.Contains(text, "idle HTTP channel") {
		t.Errorf("the server's log quotes a host:\n%s", text)
	}
}

// answersTooMuch sends a forbidden body after each answer, with the request's credential.
func answersTooMuch(conn net.Conn) {
	defer conn.Close()
	for in := bufio.NewReader(conn); ; {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		head := "204 No Content\r\n"
		if r.Method == http.MethodHead {
			head = "200 OK\r\nContent-Length: 100\r\n"
		}
		fmt.Fprintf(conn, "HTTP/1.1 %s\r\n{\"auth\": %q}", head, r.Header.Get("Authorization"))
	}
}
