package runner

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var expired atomic.Bool
		c := newClock(10*time.Second, func() { expired.Store(true) })
		time.Sleep(time.Minute)
		c.resume()
		time.Sleep(6 * time.Second)
		c.pause()
		time.Sleep(time.Minute)
		c.resume()
		c.resume()
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if expired.Load() {
			t.Fatal("expired early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !expired.Load() {
			t.Fatal("not expired")
		}
		if used := c.stop(); used != 11*time.Second {
			t.Errorf("used %v", used)
		}
		c.resume()
		if used := c.stop(); used != 11*time.Second {
			t.Errorf("used %v after the stop", used)
		}
	})
}
