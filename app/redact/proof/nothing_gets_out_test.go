package proof

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"
)

var (
	cases   = flag.Int("cases", 1000, "how many cases are tried")
	first   = flag.Int("first", 0, "number of the first case")
	seed    = flag.Uint64("seed", 20261120, "what all cases are made from")
	depth   = flag.Int("depth", 1, "encodings within one another, at most")
	only    = flag.String("only", "", "name of an encoder: only cases with it are tried")
	workers = flag.Int("workers", runtime.NumCPU(), "batches that are tried at once")
	most    = flag.Int("leaks", 1, "how many leaks are reported before the proof gives up")
)

// batchSize is how many cases share an instance: more cost memory, fewer cost time. The first batch of
// a detector is small, because it reads all that pages have in common.
const (
	batchSize  = 250
	firstBatch = 25
)

// TestNothingGetsOut is the proof. It ends at the first leak, unless -leaks says otherwise.
func TestNothingGetsOut(t *testing.T) {
	if *only != "" && !slices.ContainsFunc(encoders(), func(e encoder) bool { return e.name == *only }) {
		t.Fatalf("-only %s: there is no such encoder", *only)
	}
	p, err := newPlan(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // little is kept, so memory is cheaper than collecting it
	c := &course{t: t, dir: t.TempDir(), next: *first, open: map[int]bool{}, began: time.Now(), reported: time.Now()}
	var all sync.WaitGroup
	for range *workers {
		all.Go(func() { c.work(newBench(t, p), newDetector(t)) })
	}
	all.Wait()
	c.tell()
	if !t.Failed() && (c.tried == 0 || *only == "" && c.tried != *cases) {
		t.Errorf("%d cases were tried of %d", c.tried, *cases)
	}
}

// course is how far the proof has come. All workers share it.
type course struct {
	t     *testing.T
	dir   string // for instances
	began time.Time

	mu       sync.Mutex
	next     int          // case that no worker has taken
	open     map[int]bool // beginnings of batches under way
	tried    int          // cases; with -only fewer than were taken
	leaks    int
	over     bool // no more batches are taken
	reported time.Time
}

// work takes batches until there are none.
func (c *course) work(b *bench, d *detector) {
	for size := firstBatch; ; size = batchSize {
		from, to := c.take(size)
		if from == to {
			return
		}
		tried, found, err := c.try(b, d, from, to)
		if err != nil {
			c.stop(fmt.Errorf("cases %d to %d: %w", from, to-1, err))
			return
		}
		c.done(from, tried, found)
	}
}

func (c *course) try(b *bench, d *detector, from, to int) (tried int, found []finding, err error) {
	dir, err := os.MkdirTemp(c.dir, "")
	if err != nil {
		return 0, nil, err
	}
	defer os.RemoveAll(dir)
	return b.some(c.t.Context(), d, dir, from, to)
}

// stop ends the proof for every worker: cases that couldn't be tried prove nothing.
func (c *course) stop(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t.Error(err)
	c.over = true
}

// take returns the next batch, an empty one at the end.
func (c *course) take(size int) (from, to int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from = c.next
	if c.over {
		return from, from
	}
	c.next = min(from+size, *first+*cases)
	c.open[from] = true
	return from, c.next
}

// done counts a batch, and tells each leak with what repeats it.
func (c *course) done(from, tried int, found []finding) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, from)
	c.tried += tried
	for _, f := range found {
		if c.leaks++; c.leaks <= *most {
			c.t.Errorf("leak: case %d (%s): %s\nto repeat it: go test ./app/redact/proof -run NothingGetsOut -seed %d -depth "+
				"%d -first %d -cases 1", f.Case, f.Kind, f.Where, *seed, *depth, f.Case)
		}
	}
	c.over = c.over || c.leaks >= *most
	if time.Since(c.reported) > time.Minute {
		c.reported = time.Now()
		c.tell()
	}
}

// tell says how far the proof is, and where another may go on.
func (c *course) tell() {
	behind := c.next
	for from := range c.open {
		behind = min(behind, from)
	}
	took := time.Since(c.began)
	c.t.Logf("%d cases in %s, %.0f a second, %d leaks; all below %d are done: FIRST=%d goes on", c.tried,
		took.Round(time.Second), float64(c.tried)/took.Seconds(), c.leaks, behind, behind)
}
