package soak_test

import (
	"context"
	"flag"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

var (
	soak        = flag.Duration("soak", 40*time.Second, "length of TestSoak")
	soakSandbox = flag.String("soak-sandbox", "bubblewrap", "backend of TestSoak")
)

// soakPool is the number of ready boxes, soakWait the time for a question's answer.
const (
	soakPool = 2
	soakWait = 10 * time.Second
)

// TestSoak keeps the whole program under a mixed load: scripts of every kind, questions, hosts,
// failures, cancellations, long polls, pages and event streams. Each execution has exactly one
// right end, each call one right answer. Clients, database and counters have to agree. Server and
// plugin must not grow, as a trend and between two rests. See the Makefile's soak for an hour of
// it.
func TestSoak(t *testing.T) {
	s := newSoaker(t)
	s.load(func() { time.Sleep(*soak / 4) }) // caches fill, and the allocator finds its size
	before := s.rest()
	var samples []map[string]int
	s.load(func() {
		const count = 60 // however long one takes: a trend needs many
		for range count {
			time.Sleep(*soak * 3 / 4 / count)
			samples = append(samples, s.sample())
		}
	})
	after := s.rest()
	t.Logf("%d executions ended, %d pages, %d events, %d calls that others gave up", s.books.all(), s.read.Load(),
		s.events.Load(), s.left.Load())
	for _, what := range slices.Concat(growth(samples), surplus(before, after)) {
		t.Error(what)
	}
	s.logTrend(samples, before, after)
	s.books.balance(s)
	s.endsStay()
	s.nothingLeft()
}

// soaker is who makes the load.
type soaker struct {
	t       *testing.T
	in      *e2e.Instance
	witness *e2e.Witness
	tmp     string // for temporary files of the server and of boxes
	label   string // in the names of what is this instance's
	profile string
	agent   *http.Client
	person  *http.Client
	books   *soakBooks

	mu   sync.Mutex
	told map[string]int // errors by their format

	quietRows map[string]int // by table, before the load

	read, events, left atomic.Int64
	newest             atomic.Value // id of an execution
}

func newSoaker(t *testing.T) *soaker {
	s := &soaker{t: t, witness: e2e.NewWitness(t), tmp: e2e.PublicDir(t), books: newSoakBooks(), told: map[string]int{},
		agent: &http.Client{Timeout: slowest, Transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
	s.in = e2e.StartInstance(t, "AIRLOCK_SANDBOX="+*soakSandbox, "AIRLOCK_POOL=2", "AIRLOCK_WORKERS=3",
		"AIRLOCK_QUEUE=200",
		"AIRLOCK_LIMIT_MEMORY=128MiB", "AIRLOCK_LLM_WAIT="+soakWait.String(),
		"TMPDIR="+s.tmp, "AIRLOCK_PLUGIN_LANDLOCK_TMP="+s.tmp, "AIRLOCK_LOCAL_SERVICES="+s.witness.Services,
		"GODEBUG=memprofilerate=0") // what collect asks for would else be collected too, as garbage of megabytes
	s.label = e2e.LabelOf(t, s.in)
	s.in.Admin(s.witness.Mint(), "credential", "set", "TOKEN", "--mode", "sealed", "--host", "witness.test:80",
		"--plain-http")
	s.in.Admin(soakSecret, "credential", "set", "SECRET", "--mode", "injected", "--host", "witness.test:80")
	s.profile = s.in.Admin("", "profile", "create", "--description", "soak", "--key", "TOKEN", "--key", "SECRET", "--host",
		"witness.test:80")
	s.in.Admin("", "profile", "lock", s.profile)
	s.person = e2e.LogIn(t, s.in)
	s.person.Timeout = slowest
	s.quietRows = s.rows()
	return s
}

// load works until meanwhile returns, and completes everything begun.
func (s *soaker) load(meanwhile func()) {
	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	began := s.books.all()
	var all sync.WaitGroup
	for _, kinds := range soakLoads() {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				s.run(kinds[i%len(kinds)])
			}
		})
	}
	for _, work := range []func(context.Context){s.pages, s.streams, s.streams, s.streams, s.polls} {
		all.Go(func() { work(ctx) })
	}
	meanwhile()
	cancel()
	all.Wait()
	if n := s.books.all() - began; n < 10 || s.read.Load() == 0 || s.events.Load() == 0 || s.left.Load() == 0 {
		s.t.Errorf("that was hardly any load: %d executions, %d pages, %d events, %d given up", n, s.read.Load(),
			s.events.Load(), s.left.Load())
	}
}

// wrong reports a wrong answer or end, a few of each kind, so that none hides the others.
func (s *soaker) wrong(format string, args ...any) {
	s.mu.Lock()
	s.told[format]++
	n := s.told[format]
	s.mu.Unlock()
	if n <= 10 {
		s.t.Errorf(format, args...)
		return
	}
	s.t.Fail()
}
