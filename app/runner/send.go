package runner

import (
	"context"
	"errors"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/runner/capture"
	"github.com/computclaw/airlock/app/sandbox"
	"github.com/computclaw/airlock/plugins/wire"
)

// sent is a script that was sent to a box, and how its session ended.
type sent struct {
	binding *Binding
	backend *sandbox.Backend
	outcome guest.Outcome
	broken  error // why the session broke; nil if the guest reported the script's end
}

// script returns the script that was sent; "" if none was.
func (s sent) script() string {
	if s.binding == nil {
		return ""
	}
	return string(s.binding.source.Script)
}

// send acquires a box and runs the script in it. An error means that the script was certainly never
// started.
func (r *Run) send(b *Binding) (s sent, err error) {
	r.output.open()
	for range boxTries {
		in, box, err := r.acquireBox(b)
		if err != nil {
			return s, err
		}
		r.box = box
		s = sent{binding: b, backend: in}
		s.outcome, s.broken = r.runScript(b)
		if !errors.Is(s.broken, guest.ErrNotStarted) {
			return s, nil
		}
		r.clock.pause()
		r.started.set(time.Time{})
		box.Close()
	}
	return s, s.broken
}

// runScript runs the script in the box. It returns when the script has ended, the box broke, or the
// execution was stopped.
func (r *Run) runScript(b *Binding) (guest.Outcome, error) {
	r.started.set(r.runner.cfg.Now())
	r.clock.resume()
	limits := r.runner.cfg.Limits
	skill, files := r.files.inputs(r.ctx, b)
	return r.box.Session.Run(r.ctx, guest.Job{
		Files: files, Script: string(b.source.Script), Skill: skill, Settings: b.grant.settings, Inputs: b.source.Inputs,
		Hosts: wireHosts(b.grant.hosts),
		// One byte beyond the flood limit: the guest drops what follows, and the runner knows that there
		// was more.
		MaxOutput: limits.Output*capture.FloodFactor + 1, MaxResult: limits.Result,
	}, guest.Handler{
		Stdout: r.output.writeStdout,
		Stderr: r.output.writeStderr,
		LLM: func(ctx context.Context, q wire.LLMRequest) (wire.LLMReply, error) {
			return r.dialogue.ask(ctx, q.Prompt, q.Model)
		},
		Dial:       r.egress.dial,
		Unanswered: r.egress.unanswered,
		Limited:    r.egress.limited,
		Ended:      r.clock.pause,
		Artifact:   r.files.collect,
		Asked:      func(host string, port, line int) { r.egress.noteAsked(r.ctx, host, port, line) },
	})
}

func wireHosts(hosts []app.Host) []wire.Host {
	list := make([]wire.Host, len(hosts))
	for i, h := range hosts {
		list[i] = wire.Host{Name: h.Name, Ports: h.Ports}
	}
	return list
}
