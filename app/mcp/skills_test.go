package mcp

import (
	"regexp"
	"strings"
	"testing"
)

// TestNamesOfSkillToolsSuitModels: names are short enough and unique.
func TestNamesOfSkillToolsSuitModels(t *testing.T) {
	long := strings.Repeat("a", 62)
	accepted := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	seen := map[string]bool{}
	for _, name := range []string{"a", "row-totals", strings.Repeat("b", 58), long + "-b", long + "-c"} {
		tool := skill{Name: name}.toolName()
		if !accepted.MatchString(tool) || seen[tool] || len(name) <= 58 && tool != "skill_"+name {
			t.Errorf("%s: %s", name, tool)
		}
		seen[tool] = true
	}
}
