package app

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestStatusArrows(t *testing.T) {
	want := map[Status][]Status{
		StatusPending:          {StatusRunning, StatusError, StatusTimeout, StatusCancelled},
		StatusAwaitingApproval: {StatusPending, StatusError, StatusTimeout, StatusCancelled},
		StatusRunning:          {StatusAwaitingLLM, StatusCompleted, StatusError, StatusTimeout, StatusCancelled},
		StatusAwaitingLLM:      {StatusRunning, StatusError, StatusTimeout, StatusCancelled},
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

// TestStatusWalks: every walk ends in a terminal status, runs at most once, and stays ended.
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

// A limit of a later version makes no difference to older runs.
func TestALimitThatARunDidNotKnowMakesNoDifference(t *testing.T) {
	now := DefaultLimits()
	fields := reflect.TypeFor[Limits]()
	for i := range fields.NumField() {
		older := now
		reflect.ValueOf(&older).Elem().Field(i).SetZero()
		if got := (Manifest{Limits: now}).Differs(Manifest{Limits: older}); len(got) > 0 {
			t.Errorf("a run from before %s differs in %v", fields.Field(i).Name, got)
		}
	}
	other := now
	other.Files++
	if got := (Manifest{Limits: now}).Differs(Manifest{Limits: other}); !slices.Equal(got, []string{"limits"}) {
		t.Errorf("another limit of open files differs in %v", got)
	}
	const stored = `{"memory":1,"cpu":1,"pids":1,"tmp":1,"files":1,"output":1,"result":1}`
	var read Limits
	if err := json.Unmarshal([]byte(stored), &read); err != nil {
		t.Fatal(err)
	}
	if written, err := json.Marshal(read); err != nil || string(written) != stored {
		t.Errorf("limits of a stored run become %s: %v", written, err)
	}
}
