package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestExitCodesAreDocumented: scripts are written from these two texts. testdata/script/run.txtar meets each code.
func TestExitCodesAreDocumented(t *testing.T) {
	guide, err := os.ReadFile("../../docs/run.md")
	must(t, err)
	story, err := os.ReadFile("testdata/script/run.txtar")
	must(t, err)
	usage := strings.Join(strings.Fields(runUsage), " ")
	for code, word := range map[int]string{
		exitOK: "completed", exitError: "error", exitUsage: "wrong usage", exitTimeout: "timeout", exitCancelled: "cancelled",
		exitRefused: "refused by Airlock", exitUnreachable: "Airlock can't be reached", exitPerson: "a person has to act and did not",
	} {
		if !strings.Contains(usage, fmt.Sprintf("%d %s", code, word)) {
			t.Errorf("the usage has no %d %s", code, word)
		}
		if !strings.Contains(string(guide), fmt.Sprintf("| %d | %s", code, word)) {
			t.Errorf("docs/run.md has no %d %s", code, word)
		}
		if code != exitOK && !strings.Contains(string(story), fmt.Sprintf("'code %d'", code)) {
			t.Errorf("run.txtar does not meet %d", code)
		}
	}
}
