package freezer

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// box is one process that stops at the second signal.
type box struct{ signals, resumed atomic.Int64 }

func (b *box) freezer() *Freezer {
	return &Freezer{
		Stop:    func() { b.signals.Add(1) },
		Stopped: func() bool { return b.signals.Load() >= 2 },
		Resume:  func() { b.signals.Store(0); b.resumed.Add(1) },
	}
}

func TestAFrozenBoxThatWakesUpIsStoppedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &box{}
		f := b.freezer()
		if !f.Set(true) {
			t.Fatal("it was not stopped")
		}
		b.signals.Store(0)
		time.Sleep(checkFirst + within)
		synctest.Wait()
		if n := b.signals.Load(); n != 2 {
			t.Errorf("%d signals after it woke up", n)
		}
		if f.Set(false) || b.resumed.Load() != 1 {
			t.Errorf("resumed %d times", b.resumed.Load())
		}
	})
}

func TestABoxThatCanNotBeStoppedRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &box{}
		b.signals.Store(-1 << 40)
		if b.freezer().Set(true) || b.resumed.Load() != 1 {
			t.Errorf("resumed %d times", b.resumed.Load())
		}
	})
}
