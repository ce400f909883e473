package netns

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins/rlimit"
)

func TestParse(t *testing.T) {
	var limits []string
	limit := func(l rlimit.Limit) error {
		limits = append(limits, fmt.Sprint(l.Name, " ", l.Value))
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
		func(rlimit.Limit) error { return refused }); err != refused {
		t.Error(err)
	}
}
