package main

import (
	"io"
	"os"
	"testing"

	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/template"
)

// TestPreloadGivesATemplateOneRunner: the first, and boxes with another one fail.
func TestPreloadGivesATemplateOneRunner(t *testing.T) {
	ours, theirs, err := fdlink.New()
	if err != nil {
		t.Fatal(err)
	}
	defer ours.Close()
	end, err := fdlink.Open(theirs)
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	p := &preload{template: ours}
	if p.offer(true, []byte("source"), nil) == nil {
		t.Error("a box is loaded with what the template was never given")
	}
	for _, source := range []string{"source", "later"} {
		if err := p.offer(false, []byte(source), []byte("code")); err != nil {
			t.Fatal(err)
		}
	}
	fds, err := end.Receive(&template.Program{})
	if err != nil || len(fds) != 1 {
		t.Fatal(fds, err)
	}
	program := os.NewFile(uintptr(fds[0]), "program")
	defer program.Close()
	if got, err := io.ReadAll(program); string(got) != "00000004codesource" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := p.offer(true, []byte("source"), []byte("code")); err != nil {
		t.Error(err)
	}
	if p.offer(true, []byte("later"), []byte("code")) == nil {
		t.Error("a box takes a runner for another one")
	}
	ours.Close()
	if fds, err := end.Receive(&template.Program{}); err == nil {
		t.Errorf("the template got a second program: %v", fds)
	}
}
