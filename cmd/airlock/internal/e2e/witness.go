package e2e

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Witness is an outside host that counts scripts' effects and checks their credential.
type Witness struct {
	Services string // AIRLOCK_LOCAL_SERVICES

	Mu     sync.Mutex
	Seen   map[string]int // by what the script was told to say
	tokens []string       // that were ever to be set, the newest last
	set    int            // how many of these were set for certain, up to the newest of them: those before it are over
	least  map[string]int // by what the script was told to say: set when it was submitted
	Last   string         // that came
	Wrong  []string       // that came and were never set
	stale  []string       // that came although another had been set before the script was submitted
}

// NewWitness starts a host that counts what scripts send to it.
func NewWitness(t *testing.T) *Witness {
	w := &Witness{Seen: map[string]int{}, least: map[string]int{}}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Must(t, err)
	w.Services = "witness.test:80=" + l.Addr().String()
	server := &http.Server{Handler: http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.note(strings.TrimPrefix(r.URL.Path, "/"), r.Header.Get("X-Token"))
		rw.Header().Set("Connection", "close")
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { server.Close() })
	return w
}

func (w *Witness) note(nonce, token string) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.Seen[nonce]++
	w.Last = token
	switch i := slices.Index(w.tokens, token); {
	case i < 0:
		w.Wrong = append(w.Wrong, token)
	case i < w.least[nonce]-1:
		w.stale = append(w.stale,
			fmt.Sprintf("%s came with value %d, and value %d was set before", nonce, i+1, w.least[nonce]))
	}
}

// Expect announces a script before it is submitted. It may not bring an expired value.
func (w *Witness) Expect(nonce string) {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.least[nonce] = w.set
}

// NoteKept is called when the newest value has been set for certain.
func (w *Witness) NoteKept() {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	w.set = len(w.tokens)
}

// Problems returns the faults of the credentials that came.
func (w *Witness) Problems() []string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	var list []string
	for _, token := range w.Wrong {
		list = append(list, fmt.Sprintf("the credential was %q, which nobody ever set", token))
	}
	return append(list, w.stale...)
}

// Count returns how often a nonce arrived.
func (w *Witness) Count(nonce string) int {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.Seen[nonce]
}

// Mint makes a value that may come from now on.
func (w *Witness) Mint() string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	token := "tk-" + rand.Text()
	w.tokens = append(w.tokens, token)
	return token
}

// Newest returns the value that was made last.
func (w *Witness) Newest() string {
	w.Mu.Lock()
	defer w.Mu.Unlock()
	return w.tokens[len(w.tokens)-1]
}
