package main

import (
	"errors"
	"testing"

	"github.com/computclaw/airlock/plugins/landlock/fdpass"
)

// TestHoleGreetingOfNoSupervisor: the reason was %!w(<nil>).
func TestHoleGreetingOfNoSupervisor(t *testing.T) {
	supervisor, guest, err := fdpass.Pair()
	if err != nil {
		t.Fatal(err)
	}
	end, err := fdpass.Open(supervisor)
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	if err := end.Send(fdpass.Message{Kind: fdpass.Frozen}, -1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := greetSupervisor(guest); !errors.Is(err, fdpass.ErrMessage) {
		t.Errorf("an answer that is no welcome: %v", err)
	}
}
