package hostile_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/sandboxtest/hostile"
)

func TestHostsOnSeveralLines(t *testing.T) {
	cases, err := hostile.Cases()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(cases, func(c hostile.Case) bool { return c.Name == "d05_answers" })
	want := []string{"internal-0.test:80", "internal-1.test:80", "internal-2.test:80", "internal-3.test:80",
		"internal-4.test:80", "internal-5.test:80", "internal-6.test:80", "mixed.test:80", "rebind.test:80"}
	if i < 0 || !slices.Equal(cases[i].Hosts, want) {
		t.Errorf("d05_answers: %v", cases[max(i, 0)].Hosts)
	}
}

func TestEveryCaseParses(t *testing.T) {
	cases, err := hostile.Cases()
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 70 {
		t.Errorf("only %d cases", len(cases))
	}
	const prelude = 5 // words in it
	names := map[string]bool{}
	for _, c := range cases {
		names[c.Name] = true
	}
	for _, c := range cases {
		differs := strings.Count(c.Script, "RESTRICTED")+strings.Count(c.Script, "listed(")+strings.Count(c.Script,
			"processes(") > prelude
		if differs != (c.Less != "") {
			t.Errorf("%s: a case that asks for the tier has to say in its head what holds on the restricted one, and "+
				"no other has to", c.Name)
		}
		if c.For(true).Script == c.Script || c.For(false).Script != c.Script {
			t.Errorf("%s: the script doesn't learn of its tier", c.Name)
		}
		if !slices.Contains([]string{"", "egress", "redactor", "runner"}, c.Decider) || c.Decider != "" && differs {
			t.Errorf("%s: %q decides nothing on every backend alike", c.Name, c.Decider)
		}
		if c.Pair != "" && !names[c.Pair] {
			t.Errorf("%s: pair %s is no case", c.Name, c.Pair)
		}
	}
}
