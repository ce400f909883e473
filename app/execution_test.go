package app

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestStatusArrows(t *testing.T) {
	want := map[Status][]Status{
		StatusPending:     {StatusRunning, StatusError, StatusTimeout, StatusCancelled},
		StatusRunning:     {StatusAwaitingLLM, StatusCompleted, StatusError, StatusTimeout, StatusCancelled},
		StatusAwaitingLLM: {StatusRunning, StatusError, StatusTimeout, StatusCancelled},
	}
	all := append(Statuses(), "", "other")
	got := map[Status][]Status{}
	for _, from := range all {
		for _, to := range all {
			if from.CanBecome(to) {
				got[from] = append(got[from], to)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestStatusWalks: every walk ends in a terminal status, begins to run at once or never, and stays
// ended.
func TestStatusWalks(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		status := StatusPending
		for _, next := range rapid.SliceOf(rapid.SampledFrom(Statuses())).Draw(r, "walk") {
			if !status.CanBecome(next) {
				continue
			}
			if status.Terminal() || next == StatusPending || next == status {
				r.Fatalf("%s became %s", status, next)
			}
			if next == StatusCompleted && status != StatusRunning {
				r.Fatalf("%s completed", status)
			}
			status = next
		}
		if !status.Terminal() && !status.CanBecome(StatusError) {
			r.Fatalf("%s can't end", status)
		}
	})
}

func TestParseStatus(t *testing.T) {
	for _, s := range Statuses() {
		if got, err := ParseStatus(string(s)); got != s || err != nil {
			t.Errorf("%s: %s, %v", s, got, err)
		}
	}
	for _, text := range []string{"", "Pending", "done", "completed\n"} {
		if got, err := ParseStatus(text); got != "" || CodeOf(err) != CodeInvalidField {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
}
