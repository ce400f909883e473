package runner

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/runner/capture"
	"github.com/computclaw/airlock/plugins/wire"
)

// sendTries is how many boxes may die between being acquired and being sent the script.
const sendTries = 3

// script is what runs in a session: its clock, files, output and questions.
type script struct {
	session  *session
	clock    *clock
	started  instant // when it was sent
	files    *filesHook
	output   *capture.Pair
	dialogue *dialogue
	soFar    outputSoFar
}

// sent is a script that was sent to a box, and how the box's part of the session ended.
type sent struct {
	binding *Binding
	outcome guest.Outcome
	err     error // why the guest did not report the script's end; nil if it did
}

// newOutput returns a Pair for what a script prints. Far too much of it stops the execution.
func newOutput(s *session, changed func()) *capture.Pair {
	limit := s.runner.cfg.Limits.Output
	return capture.New(capture.Config{
		Limit: limit, Redactor: s.redaction.current, Changed: changed, Now: s.runner.cfg.Now,
		Flooded: func(stream string) { s.stop(stopFlood(stream, limit)) },
	})
}

// run acquires a box and runs the script in it.
//
// It returns at the script's end, a broken box or a Stop. An error means that the script was
// certainly never started.
func (s *script) run(b *Binding) (done sent, err error) {
	for range sendTries {
		if err := s.session.acquire(b); err != nil {
			return done, err
		}
		s.started.set(s.session.runner.cfg.Now())
		s.clock.resume()
		done = sent{binding: b}
		done.outcome, done.err = s.session.box.Session.Run(s.session.ctx, s.job(b), s.handler())
		if !errors.Is(done.err, guest.ErrNotStarted) {
			return done, nil
		}
		s.clock.pause()
		s.started.set(time.Time{})
		s.session.box.Close()
	}
	return done, done.err
}

// job is what the box gets.
func (s *script) job(b *Binding) guest.Job {
	limits := s.session.runner.cfg.Limits
	skill, files := s.files.inputs(s.session.ctx, b)
	hosts := make([]wire.Host, len(b.grant.hosts))
	for i, h := range b.grant.hosts {
		hosts[i] = wire.Host{Name: h.Name, Ports: h.Ports}
	}
	return guest.Job{
		Files: files, Script: string(b.source.Script), Skill: skill, Settings: b.grant.settings, Inputs: b.source.Inputs,
		Hosts: hosts,
		// One byte beyond the flood limit shows the runner that the guest dropped output.
		MaxOutput: limits.Output*capture.FloodFactor + 1, MaxResult: limits.Result,
	}
}

// handler takes what comes out of the box.
func (s *script) handler() guest.Handler {
	network := s.session.network
	return guest.Handler{
		Stdout: s.output.Stdout.Add,
		Stderr: s.output.Stderr.Add,
		LLM: func(ctx context.Context, q wire.LLMRequest) (wire.LLMReply, error) {
			return s.dialogue.ask(ctx, q.Prompt, q.Model)
		},
		Dial:       network.Dial,
		Unanswered: network.Unanswered,
		Limited:    network.Limited,
		Ended:      s.clock.pause,
		Artifact:   s.files.collect,
		Asked:      func(host string, port, line int) { network.Asked(s.session.ctx, host, port, line) },
	}
}

// instant is a time that one goroutine sets and any may read.
type instant struct{ at atomic.Pointer[time.Time] }

func (i *instant) set(at time.Time) { i.at.Store(&at) }

func (i *instant) get() time.Time {
	if at := i.at.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// clock measures a script's run time and calls expire once at its limit.
//
// It starts paused: opening a box and waiting for an answer don't count. Safe for concurrent use.
type clock struct {
	limit  time.Duration
	expire func()

	mu      sync.Mutex
	used    time.Duration
	since   time.Time // zero while paused
	timer   *time.Timer
	stopped bool
}

func newClock(limit time.Duration, expire func()) *clock {
	return &clock{limit: limit, expire: expire}
}

// resume lets the time run.
func (c *clock) resume() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped || !c.since.IsZero() {
		return
	}
	c.since = time.Now()
	c.timer = time.AfterFunc(c.limit-c.used, c.expire)
}

// pause holds the time.
func (c *clock) pause() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pauseLocked()
}

// stop ends the clock for good and returns the time used.
func (c *clock) stop() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pauseLocked()
	c.stopped = true
	return c.used
}

// measure returns the time used so far, and whether the clock was stopped for good.
func (c *clock) measure() (used time.Duration, over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if used = c.used; !c.since.IsZero() {
		used += time.Since(c.since)
	}
	return used, c.stopped
}

func (c *clock) pauseLocked() {
	if c.since.IsZero() {
		return
	}
	c.used += time.Since(c.since)
	c.since = time.Time{}
	c.timer.Stop()
}
