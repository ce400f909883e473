package ssh

import (
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// TestMachineOutOfTimeFirst: the machine was told of a Check's deadline, for which it has a timer
// of its own. When a busy host's timer fired later, the answer was taken for a machine that fails,
// and what was in use was given up.
func TestMachineOutOfTimeFirst(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	_, cfg := sandboxtest.Open(t, Name, m.Settings())
	b := New()
	defer b.drop()
	if r, err := b.Check(t.Context(), cfg); err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	before := b.link.Load()
	if r, err := b.Check(sandboxtest.Late(t.Context(), 50*time.Millisecond), cfg); err != nil || !r.Ready {
		t.Errorf("the machine was out of time: %v, %+v", err, r)
	}
	if l, _, err := b.linked(t.Context()); err != nil || l != before {
		t.Errorf("boxes are opened over %p, error %v; the link before was %p", l, err, before)
	}
}

// TestHoleLinkLostDuringACheck: the machine was put out of use, with words about a plugin.
func TestHoleLinkLostDuringACheck(t *testing.T) {
	m := sshtest.New(t, sshtest.Options{})
	_, cfg := sandboxtest.Open(t, Name, m.Settings())
	b := New()
	defer b.drop()
	if r, err := b.Check(t.Context(), cfg); err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	before := b.link.Load()
	signalAll(t, remoteOf(t, m), syscall.SIGSTOP) // so that the link is lost while the next Check waits
	if r, err := b.Check(t.Context(), cfg); err != nil || !r.Ready {
		t.Errorf("%v, %+v", err, r)
	}
	if b.link.Load() == before {
		t.Error("the link was not lost")
	}
}
