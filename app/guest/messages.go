package guest

import (
	"context"
	"fmt"
	"net/netip"
	"regexp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/plugins/wire"
)

// message takes a control message of a running script. The session's lock is held.
func (r *run) message(m wire.Message) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.hasExited():
		return violation("a message after the script's end")
	case m.LLM != nil:
		return r.questionLocked(*m.LLM)
	case m.Result != nil:
		if int64(len(m.Result.Data)) > r.job.MaxResult {
			return violation("a result larger than the limit")
		}
		r.result = append([]byte{}, m.Result.Data...)
	case m.Failed != nil:
		// The frame's size bounds these texts. They must be redacted before they are cut.
		r.outcome.Failed = &wire.Failed{Error: m.Failed.Error, Traceback: m.Failed.Traceback,
			Line: lineOf(m.Failed.Line)}
	case m.Abort != nil:
		if c := r.connections[m.Abort.Stream]; c != nil {
			delete(r.connections, m.Abort.Stream)
			r.session.work.Go(c.drop) // it may take its time, and locks are held here
		}
	case m.Asked != nil:
		r.passAskLocked(*m.Asked)
	case m.Exited != nil:
		if !possible(*m.Exited) {
			return violation("an impossible wait status")
		}
		r.outcome.Exited = *m.Exited
		if m.Exited.Artifacts && r.handler.Ended != nil {
			r.handler.Ended()
		}
		close(r.exited)
	default:
		return violation("a message that a guest doesn't send")
	}
	return nil
}

func possible(e wire.Exited) bool {
	byExit := e.Signal == 0 && e.Code >= 0 && e.Code <= 255
	bySignal := e.Code == -1 && e.Signal >= 1 && e.Signal <= 64
	return (byExit || bySignal) && e.DroppedStdout >= 0 && e.DroppedStderr >= 0
}

// maxLine is more lines than any script has. Larger numbers would be stored and make backups
// unreadable.
const maxLine = 1 << 30

// lineOf takes a script's word for one of its lines: 0 if it has none.
func lineOf(n int) int {
	if n < 0 || n > maxLine {
		return 0
	}
	return n
}

// passAskLocked passes on a plausible claim. Others are no protocol error: scripts can send
// anything here.
func (r *run) passAskLocked(a wire.Asked) {
	_, err := netip.ParseAddr(a.Host)
	if err != nil && !hostName(a.Host) || a.Port < 0 || a.Port > 65535 || a.Line != lineOf(a.Line) ||
		r.claims >= maxAsked {
		return
	}
	r.claims++
	// it may take its time, and locks are held here
	r.session.work.Go(func() { r.handler.Asked(a.Host, a.Port, a.Line) })
}

// maxOpen bounds the bytes of all unanswered questions: the engine holds them in memory.
const maxOpen = 4 << 20

var questionID = regexp.MustCompile(`^[0-9A-Za-z_-]{1,64}$`)

// questionLocked starts answering; each question waits in a goroutine of its own.
func (r *run) questionLocked(q wire.LLMRequest) error {
	if !questionID.MatchString(q.ID) || r.asked[q.ID] {
		return violation("a question without an id of its own")
	}
	if r.questions++; r.questions > r.job.Questions+maxRefusals {
		return violation("more than %d questions", r.job.Questions+maxRefusals)
	}
	r.asked[q.ID] = true
	ask := r.handler.LLM
	switch {
	case r.questions > r.job.Questions:
		ask = refuse("this script has asked its %d questions; ask for several texts in one prompt", r.job.Questions)
	case len(q.Prompt) > app.MaxPrompt:
		ask = refuse("the prompt has %d bytes, the limit is %d; shorten it", len(q.Prompt), app.MaxPrompt)
	case len(q.Model) > 200:
		ask = refuse("the model's name is longer than 200 bytes; shorten it")
	case r.open+len(q.Prompt) > maxOpen:
		ask = refuse("the open questions hold more than %d bytes; wait for an answer before asking more", maxOpen)
	}
	r.open += len(q.Prompt)
	r.session.work.Go(func() {
		r.answer(q, ask)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.open -= len(q.Prompt)
	})
	return nil
}

type ask = func(context.Context, wire.LLMRequest) (wire.LLMReply, error)

func refuse(format string, args ...any) ask {
	return func(context.Context, wire.LLMRequest) (wire.LLMReply, error) {
		return wire.LLMReply{}, fmt.Errorf(format, args...)
	}
}

func (r *run) answer(q wire.LLMRequest, ask ask) {
	reply, err := ask(r.ctx, q)
	if r.ctx.Err() != nil {
		return
	}
	if err != nil {
		text := err.Error()
		reply = wire.LLMReply{Error: &text}
	}
	reply.ID = q.ID
	if err := r.session.post(r.ctx, wire.Message{Reply: &reply}); err != nil {
		text := "the answer is too large"
		_ = r.session.post(r.ctx, wire.Message{Reply: &wire.LLMReply{ID: q.ID, Error: &text}})
	}
}
