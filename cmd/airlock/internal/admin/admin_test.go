package admin

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// TestEveryCommandHasItsHelp: a command's own help names it and each of its flags.
func TestEveryCommandHasItsHelp(t *testing.T) {
	all := new(operator).commands()
	for synopsis := range all {
		var name []string
		for _, word := range strings.Fields(synopsis) {
			if strings.ToLower(word) != word || strings.HasPrefix(word, "-") {
				break
			}
			name = append(name, word)
		}
		var help strings.Builder
		_, _, _ = cli.Choose(&help, "admin", Usage, all, append(name, "--help"))
		if !strings.Contains(help.String(), "\n  "+strings.Join(name, " ")) || strings.Count(help.String(), "\n") > 30 {
			t.Errorf("%s:\n%s", name, &help)
		}
		for _, word := range strings.Fields(synopsis) {
			if strings.HasPrefix(word, "--") && !strings.Contains(help.String(), strings.TrimSuffix(word, "=")) {
				t.Errorf("the help of %s doesn't have %s", name, word)
			}
		}
	}
}
