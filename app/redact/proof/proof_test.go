package proof

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/computclaw/airlock/app/redact/patterns"
)

var (
	cases   = flag.Int("cases", 3000, "how many cases are tried")
	first   = flag.Int("first", 0, "number of the first case")
	seed    = flag.Uint64("seed", 20261120, "what all cases are made from")
	depth   = flag.Int("depth", 3, "encodings within one another, at most")
	only    = flag.String("only", "", "name of an encoder: only cases with it are tried")
	workers = flag.Int("workers", 2, "detectors that run at once")
)

// python is the interpreter that Airlock's boxes need as well.
const python = "/usr/bin/python3"

// sent is a line for the detector.
type sent struct {
	ID     string `json:"id"`
	Secret string `json:"secret"`
	Out    string `json:"out"`
	JSON   bool   `json:"json"`
	Depth  int    `json:"depth"` // no deeper than the secret was written
}

func caseOf(n int) (*rand.Rand, attempt) {
	r := rand.New(rand.NewPCG(*seed, uint64(n)))
	return r, makeAttempt(r, *depth)
}

// TestNothingGetsOut is the proof. It fails for every leak.
func TestNothingGetsOut(t *testing.T) {
	set, err := patterns.New(patterns.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var tried, leaks atomic.Int64
	var all sync.WaitGroup
	for worker := range *workers {
		all.Go(func() {
			report := detect(t, func(w io.Writer) {
				for n := *first + worker; n < *first+*cases && leaks.Load() < mostLeaks; n += *workers {
					r, a := caseOf(n)
					if *only != "" && !slices.Contains(a.Forms, *only) {
						tried.Add(1)
						continue
					}
					out, isJSON, err := a.send(r, set)
					if err != nil {
						t.Errorf("case %d: %v", n, err)
						return
					}
					line(t, w, a.report(n, out, isJSON))
					if done := tried.Add(1); done%50_000 == 0 {
						t.Logf("%d cases", done)
					}
				}
			}, func(leak string) {
				if leaks.Add(1) < mostLeaks {
					t.Errorf("leak: case %s", leak)
				}
			})
			if report == "" {
				t.Error("a detector didn't tell how many cases it has seen")
			}
			t.Log(report)
		})
	}
	all.Wait()
	if leaks.Load() == 0 && tried.Load() != int64(*cases) {
		t.Errorf("%d cases were tried, want %d", tried.Load(), *cases)
	}
	t.Logf("%d cases, %d leaks", tried.Load(), leaks.Load())
}

// mostLeaks is how many are told before the proof gives up.
const mostLeaks = 60

func (a attempt) report(n int, out string, isJSON bool) sent {
	return sent{fmt.Sprintf("%d %s %s", n, a.Channel, strings.Join(a.Forms, " in ")), a.Secret, out, isJSON, len(a.Forms)}
}

// TestDetectorSeesEverything gives the detector cases that nobody masked: one that finds nothing proves nothing. A few are beyond it, such as
// ascii85 beside characters that may belong to it.
func TestDetectorSeesEverything(t *testing.T) {
	const n = 600
	var mu sync.Mutex
	missed := map[string]bool{}
	detect(t, func(w io.Writer) {
		for i := range n {
			r, a := caseOf(i)
			out, isJSON := a.Text, a.isJSON()
			if isJSON {
				out = string(a.result(r))
			}
			s := a.report(i, out, isJSON)
			mu.Lock()
			missed[s.ID] = true
			mu.Unlock()
			line(t, w, s)
		}
	}, func(leak string) {
		id, _, _ := strings.Cut(leak, ": ")
		mu.Lock()
		delete(missed, id)
		mu.Unlock()
	})
	if len(missed) > n/20 {
		t.Errorf("the detector misses %d of %d: %v", len(missed), n, missed)
	}
	t.Logf("the detector finds %d of %d", n-len(missed), n)
}

func line(t *testing.T, w io.Writer, s sent) {
	text, err := json.Marshal(s)
	if err != nil {
		t.Error(err)
	}
	_, _ = w.Write(append(text, '\n')) // a detector that died says so itself
}

// detect runs the detector over what write sends to it, calls leak for each finding as it comes, and returns the detector's count.
func detect(t *testing.T, write func(io.Writer), leak func(string)) (count string) {
	command := exec.Command(python, "detect.py", "--cases")
	in, err := command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var failed bytes.Buffer
	command.Stderr = &failed
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		w := bufio.NewWriter(in)
		write(w)
		_ = w.Flush() // a detector that died says so below
		in.Close()
	}()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if l := lines.Text(); strings.HasSuffix(l, " found") {
			count = l
		} else {
			leak(l)
		}
	}
	<-written
	if err := command.Wait(); err != nil && failed.Len() > 0 {
		t.Errorf("%v\n%s", err, failed.String())
	}
	return count
}
