package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
)

func TestTurnsOfTwoStreams(t *testing.T) {
	var one turns
	for _, add := range []struct {
		second bool
		n      int
	}{{true, 3}, {true, 2}, {false, 1}, {false, 0}, {true, 4}} {
		one.add(add.second, add.n)
	}
	if want := []int{0, 5, 1, 4}; !slices.Equal(one.lengths, want) {
		t.Errorf("%v, want %v", one.lengths, want)
	}
}

// A script that prints a byte here and a byte there for a quarter of an hour had Airlock remember millions of turns.
func TestTurnsAreBounded(t *testing.T) {
	var many turns
	sums := [2]int{}
	for i := range 3*mostTurns + 1 {
		many.add(i%2 == 1, 1+i%3)
		sums[i%2] += 1 + i%3
	}
	if n := len(many.lengths); n > mostTurns {
		t.Errorf("%d turns are remembered", n)
	}
	for i, n := range many.lengths {
		sums[i%2] -= n
	}
	if sums != [2]int{} {
		t.Errorf("bytes of the streams are missing: %v", sums)
	}
}

// TestLiveViewSurvivesAnError: what could not be searched isn't shown, and is shown, searched, as soon as it can be.
func TestLiveViewSurvivesAnError(t *testing.T) {
	const secret = "another-value-0123456789abcdef"
	others := redact.New([]redact.Value{{Name: "THEIRS", Secret: app.NewSecret(secret), Unheld: true}}, redact.Options{Anonymous: true})
	var red *redact.Redactor
	var err error
	out := newCapture(redact.New(nil), func() (*redact.Redactor, error) { return red, err }, 1000, new(turns), false, func() {}, func() {})
	view := func(text, want string) {
		t.Helper()
		if _, _ = out.Write([]byte(text)); out.text() != want {
			t.Errorf("after %q the view is %q, want %q", text, out.text(), want)
		}
	}
	view("first\n", "first\n")
	err = errors.New("the database is busy")
	view("held "+secret[:10], "first\n")
	view(secret[10:15], "first\n")
	red, err = others, nil
	view(secret[15:]+"\nlast\n", "first\nheld [REDACTED]\nlast\n")

	red, err = nil, errors.New("the database is gone")
	out = newCapture(redact.New(nil), func() (*redact.Redactor, error) { return red, err }, 1000, new(turns), false, func() {}, func() {})
	view(strings.Repeat("x", 1001)+"\n", "")
	if err = nil; len(out.held) != 0 {
		t.Errorf("%d bytes are held", len(out.held))
	}
	view("more\n", "")
}
