package egress

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/egress/swap"
)

// known is the instance's knowledge of api.test: nothing until learn.
type known struct {
	values atomic.Pointer[swap.Values]
	err    error
}

func (k *known) learn() { k.values.Store(swap.NewValues([]app.Secret{app.NewSecret(testValue)})) }

func (k *known) of(_ context.Context, host string, _ int) (*swap.Values, error) {
	if host != "api.test" {
		return nil, nil
	}
	return k.values.Load(), k.err
}

// strangers is a session without credential, where the instance knows api.test.
func (l *lab) strangers(k *known) *Session {
	s := New(Config{Lookup: l.lookup, Authority: l.airlock, Roots: pool(l.public.Certificate()), Known: k.of}).Session(
		Grant{Hosts: allow(l.t, "api.test", "other.test")}, nil)
	l.t.Cleanup(s.Close)
	return s
}

func shows(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Asked", r.Header.Get("Range")+r.Header.Get("Accept-Encoding"))
	_, _ = w.Write([]byte(`{"agent":"` + testValue + `"}`))
}

// Answers are searched for the instance's values of the host: over TLS, plain HTTP, and on open
// connections.
func TestHoleH2LogOfAnotherProfile(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 443, l.tls("api.test"), shows)
	api := l.web("api.test", 80, nil, shows)
	l.web("other.test", 443, l.tls("other.test"), shows)
	k := &known{}
	s := l.strangers(k)
	client := l.client(s)
	get := func(url string) (*http.Response, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Range", "bytes=0-9")
		return l.do(client, r)
	}
	if _, body := get("http://api.test/log"); !strings.Contains(body, testValue) {
		t.Fatalf("nothing is known yet, and it reads %s", body)
	}
	k.learn()
	for _, url := range []string{"http://api.test/log", "https://api.test/log"} {
		resp, body := get(url)
		if body != `{"agent":"`+swap.Withheld+`"}` || resp.Header.Get("X-Asked") != "identity" {
			t.Errorf("%s: %s %v", url, body, resp.Header)
		}
	}
	if api.connections.Load() != 1 {
		t.Errorf("the connection that was open has not been used")
	}
	if _, body := get("https://other.test/log"); !strings.Contains(body, testValue) {
		t.Errorf("a host of nobody's: %s", body)
	}
}

// A relayed connection ends when its host gets a sealed credential, and the next one is read.
func TestHoleH2RelayedConnectionEnds(t *testing.T) {
	l := newLab(t)
	api := l.web("api.test", 443, l.tls("api.test"), shows)
	other := l.web("other.test", 443, l.tls("other.test"), shows)
	k := &known{}
	s := l.strangers(k)
	client := l.client(s)
	for _, url := range []string{"https://api.test/", "https://other.test/"} {
		if resp, err := client.Get(url); err != nil || !strings.Contains(text(resp), testValue) {
			t.Fatal(err)
		}
	}
	k.learn()
	s.Restrict(Grant{Hosts: allow(t, "api.test", "other.test")})
	waitFor(t, "the relayed connection ends", func() bool { return api.live.Load() == 0 })
	if resp, err := client.Get("https://api.test/"); err != nil || !strings.Contains(text(resp), swap.Withheld) {
		t.Errorf("the next connection: %v", err)
	}
	if other.live.Load() != 1 {
		t.Error("a connection to another host ended, too")
	}
}

// Where it can't be told what an answer is to be searched for, nothing passes.
func TestHoleH2NothingPassesUnsearched(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 80, nil, shows)
	k := &known{}
	s := l.strangers(k)
	client := l.client(s)
	if resp, err := client.Get("http://api.test/"); err != nil || resp.StatusCode != 200 {
		t.Fatal(err)
	} else if text(resp) == "" {
		t.Fatal("no answer")
	}
	k.err = errors.New("the database is gone")
	resp, body := l.get(client, "http://api.test/")
	if resp.StatusCode != 403 || resp.Header.Get("X-Airlock") != rules.Unknown || strings.Contains(body, testValue) {
		t.Errorf("on an open connection: %d %v %s", resp.StatusCode, resp.Header, body)
	}
	_, err := s.Dial(t.Context(), "api.test", 80)
	checkRefusal(t, s, err, rules.Unknown)
}

// A relay cut because its need for reading is unknown is not reported as taken away by people.
func TestHoleH2RelayIsCutUnsearched(t *testing.T) {
	l := newLab(t)
	api := l.web("api.test", 443, l.tls("api.test"), shows)
	k := &known{}
	s := l.strangers(k)
	if resp, err := l.client(s).Get("https://api.test/"); err != nil || text(resp) == "" {
		t.Fatal(err)
	}
	k.err = errors.New("the database is gone")
	s.Restrict(Grant{Hosts: allow(t, "api.test", "other.test")})
	waitFor(t, "the relayed connection ends", func() bool { return api.live.Load() == 0 })
	waitFor(t, "its row says why", func() bool {
		rows := s.Ledger()
		return rows[len(rows)-1].Rule == rules.Unknown && rows[len(rows)-1].Verdict == app.VerdictDenied
	})
}
