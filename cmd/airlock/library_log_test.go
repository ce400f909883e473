package main

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestHoleG1UnsolicitedAnswerInTheLog: net/http writes to package log how an answer begins that
// nobody asked for. Here it is the body of an answer that can have none, and quotes a sealed value.
func TestHoleG1UnsolicitedAnswerInTheLog(t *testing.T) {
	t.Parallel()
	authority := newTestAuthority(t)
	roots := filepath.Join(t.TempDir(), "roots.pem")
	must(t, os.WriteFile(roots, authority.pem, 0o600))
	listener, err := tls.Listen("tcp", "127.0.0.1:0", authority.config(t, "echo.test"))
	must(t, err)
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

	in := startInstance(t, "AIRLOCK_LOCAL_SERVICES=echo.test:443="+listener.Addr().String(), "AIRLOCK_EXTRA_CA="+roots)
	value := "sk-" + rand.Text()
	in.admin(value, "credential", "set", "TOKEN", "--host", "echo.test")
	profile := in.admin("", "profile", "create", "--host", "echo.test", "--key", "TOKEN")
	in.admin("", "profile", "lock", profile)
	x := in.await(in.submit(profile, `
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
	log, err := os.ReadFile(in.log)
	must(t, err)
	if text := string(log); strings.Contains(text, value) || strings.Contains(text, "idle HTTP channel") {
		t.Errorf("the server's log quotes a host:\n%s", text)
	}
}

// answersTooMuch sends after each answer a body that it can't have, with the request's credential.
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

// TestLibrariesLogNothing: the first thing that each program does is to discard what is written to
// package log.
func TestLibrariesLogNothing(t *testing.T) {
	for _, program := range []string{"airlock", "airlock-init", "airlock-remote"} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", program, "main.go"), nil, 0)
		must(t, err)
		first := ""
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "main" {
				if statement, ok := f.Body.List[0].(*ast.ExprStmt); ok {
					first = types.ExprString(statement.X)
				}
			}
		}
		if first != "log.SetOutput(io.Discard)" {
			t.Errorf("%s begins with %q", program, first)
		}
	}
}
