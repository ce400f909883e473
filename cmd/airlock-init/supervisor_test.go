package main

import (
	"errors"
	"testing"

	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
)

// TestHoleGreetingOfNoSupervisor: the reason was %!w(<nil>).
func TestHoleGreetingOfNoSupervisor(t *testing.T) {
	end, guest, err := fdlink.New()
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	if err := end.Send(supervisor.Message{Kind: supervisor.Frozen}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := greetSupervisor(guest); !errors.Is(err, errGreeting) {
		t.Errorf("error %v", err)
	}
}
