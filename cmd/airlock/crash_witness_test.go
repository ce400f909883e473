package main

import (
	"crypto/rand"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// witness is a host outside of Airlock that counts what scripts did to it, and looks at the credential that they came with.
type witness struct {
	services string // AIRLOCK_LOCAL_SERVICES

	mu     sync.Mutex
	seen   map[string]int // by what the script was told to say
	tokens []string       // that were ever set, the newest last
	last   string         // that came
	wrong  []string       // that came and were never set
}

func newWitness(t *testing.T) *witness {
	w := &witness{seen: map[string]int{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	w.services = "witness.test:80=" + l.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.note(strings.TrimPrefix(r.URL.Path, "/"), r.Header.Get("X-Token"))
		rw.Header().Set("Connection", "close")
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return w
}

func (w *witness) note(nonce, token string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen[nonce]++
	w.last = token
	for _, known := range w.tokens {
		if token == known {
			return
		}
	}
	w.wrong = append(w.wrong, token)
}

func (w *witness) count(nonce string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen[nonce]
}

// mint makes a value that may come from now on.
func (w *witness) mint() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	token := "tk-" + rand.Text()
	w.tokens = append(w.tokens, token)
	return token
}
