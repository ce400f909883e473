package hostile_test

import (
	"testing"

	"github.com/computclaw/airlock/plugins/sandboxtest/hostile"
)

func TestEveryCaseParses(t *testing.T) {
	cases, err := hostile.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 70 {
		t.Errorf("only %d cases", len(cases))
	}
	names := map[string]bool{}
	for _, c := range cases {
		names[c.Name] = true
	}
	for _, c := range cases {
		if c.Pair != "" && !names[c.Pair] {
			t.Errorf("%s: pair %s is no case", c.Name, c.Pair)
		}
	}
}
