package engine

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins"
)

// candidate is one configured sandbox: how its last proof ended and, while it is in use, its boxes.
type candidate struct {
	Sandbox
	proving lock          // one proof at a time
	lapsed  chan struct{} // told when it should be proved again at once

	// The Engine's mu guards these.
	report plugins.Report // of the last proof, passed or not
	reason string         // why it did not pass; "" if it did
	proved time.Time      // when the last proof ended; zero if there was none yet
	passed bool
	tried  bool      // its first proof was taken into account; with Auto also if it needed none
	use    *backend  // nil while it is not in use
	lapses int       // times in a row that boxes could not be opened although the proof had passed
	rest   time.Time // not proved again by itself before that
}

// backend is a sandbox in use, with its boxes by class: limits are the same for all, so the image tells classes apart.
type backend struct {
	name    string
	sandbox plugins.Sandbox
	report  plugins.Report
	limits  plugins.Limits
	runtime string // of boxes without an image of their own
	ca      []byte // PEM that every box trusts
	opened  func() // told of each box that opened
	failed  func(error)

	acquainting sync.Mutex     // held by who opens boxes only to see what is in them
	forms       *compiledForms // of the runner

	mu     sync.Mutex
	pools  map[string]*pool     // by image; "" is the default one's
	known  map[string]Installed // by image; what boxes said that opened
	closed bool
}

// class returns the pool of an image's boxes. Only the default image's ever keeps boxes ready.
func (b *backend) class(image string) *pool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pools[image]; p != nil {
		return p
	}
	spec := plugins.Spec{Runtime: image, Limits: b.limits}
	failed := func(error) {} // whoever waits is told; an image that doesn't work is no reason to doubt the backend
	if image == "" {
		spec.Runtime, failed = b.runtime, b.failed
	}
	compile := func(ctx context.Context) ([]byte, error) {
		one, err := openBox(ctx, b.sandbox, spec, guest.Boot{CA: b.ca, Compile: true})
		if err != nil {
			return nil, err
		}
		defer one.close()
		return one.session.Ready().Code, nil
	}
	p := newPool(0, runtime.NumCPU(), func(ctx context.Context) (*box, error) {
		opened, err := openBox(ctx, b.sandbox, spec, guest.Boot{CA: b.ca, Code: b.forms.of(image)})
		if err != nil {
			return nil, err
		}
		if opened.session.Ready().Compiled { // the other box is gone before this one is handed out: nothing is left of an execution but what it had
			b.forms.learn(ctx, image, compile)
		}
		b.learn(image, opened)
		if image == "" {
			b.opened()
		}
		return opened, nil
	}, failed)
	if b.closed {
		p.close()
	}
	b.pools[image] = p
	return p
}

// identity is what is installed in boxes of an image.
func (b *backend) identity(image string) string {
	if image == "" {
		return b.report.Runtime
	}
	return b.report.Images[image]
}

// warm is how many boxes wait.
func (b *backend) warm() int {
	b.mu.Lock()
	pools := make([]*pool, 0, len(b.pools))
	for _, p := range b.pools {
		pools = append(pools, p)
	}
	b.mu.Unlock()
	n := 0
	for _, p := range pools {
		n += p.ready()
	}
	return n
}

// close ends every box that was not handed out, and returns when they are gone. What runs goes on.
func (b *backend) close() {
	b.mu.Lock()
	b.closed = true
	pools := make([]*pool, 0, len(b.pools))
	for _, p := range b.pools {
		pools = append(pools, p)
	}
	b.mu.Unlock()
	for _, p := range pools {
		p.close()
	}
}

// proof takes the candidate's proof, keeps its outcome, and reports whether it passed. It decides nothing: see settle.
func (e *Engine) proof(ctx context.Context, c *candidate) bool {
	c.proving.Lock()
	defer c.proving.Unlock()
	return e.proofAlone(ctx, c)
}

// proofAlone is proof for who holds c.proving.
func (e *Engine) proofAlone(ctx context.Context, c *candidate) bool {
	within, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	report, err := c.Backend.Check(within, c.Config)
	if ctx.Err() != nil {
		return false // cut short: it says nothing
	}
	reason := refusal(report, err)
	e.mu.Lock()
	defer e.mu.Unlock()
	news := reason != c.reason
	c.report, c.reason, c.passed, c.proved = report, reason, reason == "", e.now()
	if reason != "" && news { // it is tried again and again
		e.cfg.Log.WarnContext(ctx, "sandbox backend is not ready", "backend", c.Name, "reason", reason)
	}
	return c.passed
}

// refusal is why a backend with this report can't be used, or "".
func refusal(report plugins.Report, err error) string {
	switch {
	case err != nil:
		return fmt.Sprintf("its check failed: %v", err)
	case !report.Ready && report.Reason == "":
		return "it is not ready and doesn't say why"
	case !report.Ready:
		return report.Reason
	case report.Tier != plugins.TierFull && report.Tier != plugins.TierRestricted:
		return "its isolation is too weak to run scripts"
	}
	return tooLong(report)
}

// maxIdentity is how many bytes may say what is installed in a box: each execution's manifest has them, and backups refuse one that would fill a page.
const maxIdentity = 1 << 10

// tooLong is why what a report says of its boxes can't be kept, or "". A plugin or another machine may say anything.
func tooLong(report plugins.Report) string {
	if len(report.Runtime) > maxIdentity {
		return fmt.Sprintf("what it says is installed in its boxes is longer than %d bytes", maxIdentity)
	}
	for name, id := range report.Images {
		if len(name) > maxIdentity || len(id) > maxIdentity {
			return fmt.Sprintf("the image %q or its identity is longer than %d bytes", app.Clip(name, 60), maxIdentity)
		}
	}
	return ""
}
