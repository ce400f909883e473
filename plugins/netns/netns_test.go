package netns

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	var limits []string
	limit := func(name string, n uint64) error {
		limits = append(limits, fmt.Sprint(name, " ", n))
		return nil
	}
	command, err := parse([]string{"--rlimit", "nofile=256", "--rlimit", "nproc=64", "--", "/bin/cmd", "--",
		"--rlimit"},
		limit)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/bin/cmd", "--", "--rlimit"}, command); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"nofile 256", "nproc 64"}, limits); diff != "" {
		t.Error(diff)
	}
	for _, args := range [][]string{
		{}, {"--"}, {"/bin/cmd"}, {"--rlimit"}, {"--rlimit", "--", "/bin/cmd"}, {"--rlimit", "nofile", "--", "x"},
		{"--rlimit", "nofile=-1", "--", "x"}, {"--rlimit", "nofile=1k", "--", "x"}, {"--limit", "nofile=1", "--", "x"},
		{"--rlimit", "nofile=1"},
	} {
		if command, err := parse(args, limit); err == nil {
			t.Errorf("%q: %q", args, command)
		}
	}
	refused := errors.New("refused")
	if _, err := parse([]string{"--rlimit", "nofile=1", "--", "x"},
		func(string, uint64) error { return refused }); err != refused {
		t.Error(err)
	}
	if err := setRlimit("files", 1); err == nil {
		t.Error("an unknown limit was set")
	}
}
