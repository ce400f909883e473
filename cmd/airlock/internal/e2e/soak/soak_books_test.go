package soak_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// soakBooks are the clients' records. Safe for concurrent use.
type soakBooks struct {
	numbers atomic.Int64
	mu      sync.Mutex
	kinds   map[string]*[2]int // accepted, ended
	status  map[string]int
	ends    map[string][sha256.Size]byte // by id: of the whole answer; zero while there is none
	names   map[string][]string          // numbers by kind
}

func newSoakBooks() *soakBooks {
	return &soakBooks{kinds: map[string]*[2]int{}, status: map[string]int{}, ends: map[string][sha256.Size]byte{},
		names: map[string][]string{}}
}

// number is another one each time.
func (b *soakBooks) number() string { return fmt.Sprint("n", b.numbers.Add(1)) }

func (b *soakBooks) accepted(kind, n, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.kinds[kind] == nil {
		b.kinds[kind] = &[2]int{}
	}
	b.kinds[kind][0]++
	b.names[kind] = append(b.names[kind], n)
	b.ends[id] = [sha256.Size]byte{}
}

func (b *soakBooks) ended(kind, id, status string, digest [sha256.Size]byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kinds[kind][1]++
	b.status[status]++
	b.ends[id] = digest
}

// all is how many have ended.
func (b *soakBooks) all() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, count := range b.kinds {
		n += count[1]
	}
	return n
}

// of is how many of these kinds were accepted.
func (b *soakBooks) of(kinds ...string) (n int) {
	for _, kind := range kinds {
		if count := b.kinds[kind]; count != nil {
			n += count[0]
		}
	}
	return n
}

// balance compares clients' records, the database and the server's counts at rest.
func (b *soakBooks) balance(s *soaker) {
	s.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	total := len(b.ends)
	for _, kinds := range soakLoads() {
		for _, kind := range kinds {
			if count := b.kinds[kind.name]; count == nil || count[0] == 0 || count[0] != count[1] {
				s.t.Errorf("%s: %v were accepted and ended", kind.name, count)
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(b.kinds)) {
		s.t.Logf("%-32s %8d", kind, b.kinds[kind][0])
	}
	b.stored(s, total)
	b.counted(s, total)
	b.witnessed(s)
}

// stored expects exactly as many rows as executions by kind. Nothing else may have grown with the
// load.
func (b *soakBooks) stored(s *soaker, total int) {
	for status, n := range b.status {
		if stored := s.in.Count("SELECT count(*) FROM executions WHERE status = '" + status + "'"); stored != n {
			s.t.Errorf("%d executions are stored as %s, and %d ended so", stored, status, n)
		}
	}
	asked := b.of("asks", "asks in vain", "is cancelled while it asks")
	cancelled := b.of("is cancelled while it asks", "is cancelled while it runs", "is cancelled at once")
	wanted := map[string]int{
		"executions": total, "execution_scripts": total, "idempotency": total, "execution_words": total,
		"llm_exchanges": asked, "connections": b.of("is refused a host", "reaches a host", "is cancelled while it runs"),
		"redaction_hits": b.of("prints a secret"),
		"audit_events":   s.quietRows["audit_events"] + cancelled + 1,
		"profile_hosts":  s.quietRows["profile_hosts"] + 1, // denied.test is asked for once
	}
	atMost := map[string]int{"execution_outputs": total, "execution_values": 2 * total, "execution_words_docsize": total,
		"execution_words_data": 40 + total, "execution_words_idx": 40 + total, "execution_stats": 12, "past_beats": 4,
		"sqlite_sequence": 1}
	for table, n := range s.rows() {
		want, exactly := wanted[table]
		if !exactly {
			want = s.quietRows[table] + atMost[table]
		}
		if n > want || exactly && n < want {
			s.t.Errorf("%s has %d rows, which were to be %d", table, n, want)
		}
	}
}

// rows counts those of every table.
func (s *soaker) rows() map[string]int {
	counts := map[string]int{}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.in.Dir, "airlock.db")+"?_pragma=busy_timeout(10000)")
	e2e.Must(s.t, err)
	defer db.Close()
	names, err := db.QueryContext(s.t.Context(), "SELECT name FROM sqlite_master WHERE type = 'table'")
	e2e.Must(s.t, err)
	defer names.Close()
	for names.Next() {
		var name string
		e2e.Must(s.t, names.Scan(&name))
		counts[name] = s.in.Count("SELECT count(*) FROM " + name)
	}
	e2e.Must(s.t, names.Err())
	return counts
}

var counterLine = regexp.MustCompile(`(?m)^(\w+)(?:\{(.*)\})? ([0-9.e+]+)$`)

// counted expects each execution once in the server's counts, and no unprovoked answer.
func (b *soakBooks) counted(s *soaker, total int) {
	ended := map[string]int{}
	for _, line := range counterLine.FindAllStringSubmatch(s.in.Monitor("/metrics"), -1) {
		value, err := strconv.ParseFloat(line[3], 64)
		e2e.Must(s.t, err)
		n, labels := int(value), line[2]
		switch line[1] {
		case "airlock_executions_submitted_total":
			if n != total {
				s.t.Errorf("the server counted %d accepted executions, and its clients %d", n, total)
			}
		case "airlock_executions_ended_total":
			ended[strings.Trim(strings.TrimPrefix(labels, "status="), `"`)] = n
		case "airlock_executions":
			if n != 0 {
				s.t.Errorf("at the end the server has %d executions of %s", n, labels)
			}
		case "airlock_http_requests_total":
			if !soakAnswers.MatchString(labels) {
				s.t.Errorf("%d answers of %s", n, labels)
			}
		case "airlock_boxes_warm":
			if n != soakPool {
				s.t.Errorf("%d boxes are ready", n)
			}
		}
	}
	if !maps.Equal(ended, b.status) {
		s.t.Errorf("the server counted as ended %v, and its clients %v", ended, b.status)
	}
}

// soakAnswers are the answers that the load provokes: found, redirected by login, or given up.
var soakAnswers = regexp.MustCompile(
	`^code="(20[02]",|303",method="POST",route="/ui/|499",method="GET",route="/(executions/:id|ui/events)")`)

// witnessed: each script reached the witness once, with the right credential.
func (b *soakBooks) witnessed(s *soaker) {
	wanted := slices.Concat(b.names["reaches a host"], b.names["is cancelled while it runs"])
	for _, n := range wanted {
		if seen := s.witness.Count(n); seen != 1 {
			s.t.Errorf("%s reached the witness %d times", n, seen)
		}
	}
	s.witness.Mu.Lock()
	defer s.witness.Mu.Unlock()
	if len(s.witness.Seen) != len(wanted) || len(s.witness.Wrong) > 0 {
		s.t.Errorf("%d reached the witness, %d were to, with the wrong credential %q", len(s.witness.Seen), len(wanted),
			s.witness.Wrong)
	}
}

func (s *soaker) endsStay() {
	s.t.Helper()
	for id, digest := range s.books.ends {
		var x soakView
		if text, ok := s.ask(http.MethodGet, "/executions/"+id, nil, "", http.StatusOK, &x); ok &&
			sha256.Sum256(text) != digest {
			s.wrong("the end of %s is another than it was: %s", id, text)
		}
	}
}

// logged expects only slowness and known start messages in the log.
func (s *soaker) logged() {
	s.t.Helper()
	log, err := os.ReadFile(s.in.Log)
	e2e.Must(s.t, err)
	known := []string{`"level":"INFO"`, `"level":"WARN","msg":"made a new instance key`,
		`"level":"WARN","msg":"nothing that is stored here will outlive`, `"level":"WARN","msg":"store: slow query"`}
	for line := range strings.Lines(string(log)) {
		if !slices.ContainsFunc(known, func(part string) bool { return strings.Contains(line, part) }) {
			s.wrong("the log: %s", line)
		}
	}
}
