package cli_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/computclaw/airlock/app/egress/ca"
)

// cmdTLSHost starts a host for sealed credentials: tlshost. It speaks TLS under every name, by
// ca.pem. It repeats requests in header and body, and logs them to in/host.log: method, host, URL,
// headers, body. /v1/me needs a value that begins with planted-. $TLSHOST is its address.
func cmdTLSHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: tlshost")
	}
	authority, err := ca.New(time.Now())
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("ca.pem"), authority.Certificate(), 0o600))
	ts.Check(os.MkdirAll(ts.MkAbs("in"), 0o700))
	record, err := os.Create(ts.MkAbs("in/host.log"))
	ts.Check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	srv := &http.Server{ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0),
		Handler: &mirror{record: record}}
	go func() {
		_ = srv.Serve(tls.NewListener(listener,
			&tls.Config{GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate,
				error) {
				return authority.Leaf(h.ServerName)
			}}))
	}()
	ts.Setenv("TLSHOST", listener.Addr().String())
	ts.Defer(func() {
		_ = srv.Shutdown(context.Background())
		_ = record.Close()
	})
}

type mirror struct {
	mu     sync.Mutex
	record io.Writer
}

func (m *mirror) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	authorization := r.Header.Get("Authorization")
	m.mu.Lock()
	fmt.Fprintln(m.record, r.Method, r.Host, r.URL, r.Header, string(body))
	m.mu.Unlock()
	if r.URL.Path == "/v1/me" && !strings.Contains(fmt.Sprint(r.URL, r.Header), "planted-") {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.Header().Set("X-Echo", authorization)
	_ = json.NewEncoder(w).Encode(
		map[string]string{"url": r.URL.String(), "authorization": authorization, "body": string(body)})
}
