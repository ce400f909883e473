package httpx

import (
	"fmt"
	"testing"

	"github.com/computclaw/airlock/app"
)

// One profile must not take every place, or the polls of all others return at once.
func TestNoProfileTakesEveryLongPoll(t *testing.T) {
	t.Parallel()
	var places WaitLimiter
	var releases []func()
	for range maxProfileWaits {
		release, err := places.Acquire("greedy", true)
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, release)
	}
	if _, err := places.Acquire("greedy", true); app.CodeOf(err) != app.CodeRateLimited {
		t.Errorf("one more of the same profile: %v", err)
	}
	release, err := places.Acquire("modest", true)
	if err != nil {
		t.Errorf("another profile: %v", err)
	}
	release()
	for _, release := range releases {
		release()
	}
	if n := places.Held(); n != 0 || len(places.profiles) != 0 {
		t.Errorf("%d places are still taken: %v", n, places.profiles)
	}
}

// Anybody can make profiles. They must not take the places of agents that wait for their
// executions.
func TestStrangersDontTakeEveryLongPoll(t *testing.T) {
	t.Parallel()
	var places WaitLimiter
	var releases []func()
	for i := range 2 * maxWaits {
		if release, err := places.Acquire(fmt.Sprint("stranger ", i/maxProfileWaits), false); err == nil {
			releases = append(releases, release)
		}
	}
	if n := len(releases); n != maxUnlockedWaits {
		t.Errorf("strangers have %d places", n)
	}
	release, err := places.Acquire("locked", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range append(releases, release) {
		release()
	}
	if places.all != 0 || places.unlocked != 0 || len(places.profiles) != 0 {
		t.Errorf("places are still taken: %d, %d, %v", places.all, places.unlocked, places.profiles)
	}
}
