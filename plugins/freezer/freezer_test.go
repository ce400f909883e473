package freezer

import (
	"testing"
	"testing/synctest"
	"time"
)

// box is one process that stops at the second signal.
type box struct{ signals, resumed int }

func (b *box) freezer() *Freezer {
	return &Freezer{
		Stop:    func() { b.signals++ },
		Stopped: func() bool { return b.signals >= 2 },
		Resume:  func() { b.signals, b.resumed = 0, b.resumed+1 },
	}
}

func TestAFrozenBoxThatWakesUpIsStoppedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &box{}
		f := b.freezer()
		if !f.Set(true) {
			t.Fatal("it was not stopped")
		}
		b.signals = 0
		time.Sleep(checkFirst + within)
		synctest.Wait()
		if b.signals != 2 {
			t.Errorf("%d signals after it woke up", b.signals)
		}
		if f.Set(false) || b.resumed != 1 {
			t.Errorf("resumed %d times", b.resumed)
		}
	})
}

func TestABoxThatCanNotBeStoppedRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &box{signals: -1 << 40}
		if b.freezer().Set(true) || b.resumed != 1 {
			t.Errorf("resumed %d times", b.resumed)
		}
	})
}
