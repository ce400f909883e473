package live_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/computclaw/airlock/app/live"
)

func TestNudgesMeltIntoOne(t *testing.T) {
	var hub live.Hub
	sub := hub.Subscribe(live.Executions, live.Profiles)
	defer sub.Close()
	for range 3 {
		hub.Publish(live.Executions)
	}
	hub.Publish(live.Profiles)
	hub.Publish(live.Credentials)
	<-sub.C()
	topics := sub.Topics()
	slices.Sort(topics)
	if want := []string{live.Executions, live.Profiles}; !slices.Equal(topics, want) {
		t.Errorf("topics %v, want %v", topics, want)
	}
	select {
	case <-sub.C():
		t.Error("a second nudge without a change")
	default:
	}
}

func TestSubscribingToNothingMeansEverything(t *testing.T) {
	var hub live.Hub
	sub := hub.Subscribe()
	defer sub.Close()
	hub.Publish(live.Execution("x"))
	<-sub.C()
	if got := sub.Topics(); !slices.Equal(got, []string{"execution/x"}) {
		t.Errorf("topics %v", got)
	}
}

func TestASubscriberThatNeverLooksHoldsLittle(t *testing.T) {
	var hub live.Hub
	sub := hub.Subscribe()
	for i := range 5000 {
		hub.Publish(live.Execution(string(rune('a'+i%26)) + string(rune(i+1000))))
	}
	if n := len(sub.Topics()); n > 1024 {
		t.Errorf("%d topics are held", n)
	}
	sub.Close()
	hub.Publish("after")
	if n := len(sub.Topics()); n != 0 {
		t.Errorf("a closed subscription was nudged: %d", n)
	}
}

func TestPublishersAndSubscribersDoNotWaitForEachOther(t *testing.T) {
	var hub live.Hub
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 500 {
				sub := hub.Subscribe("t")
				hub.Publish("t")
				<-sub.C()
				sub.Close()
			}
		})
	}
	wg.Wait()
}
