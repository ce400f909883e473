package executionview

import (
	"regexp"
	"strings"
	"testing"

	"github.com/computclaw/airlock/views/code"
)

// TestAScriptIsShownAsItRuns: bidi characters could disguise a command as a comment.
func TestAScriptIsShownAsItRuns(t *testing.T) {
	t.Parallel()
	const script = "a = 1 # \u202e\u2066harmless\u2069\nשלום = '👩\u200d💻'\n"
	pages := map[string]func(*strings.Builder) error{
		"script": func(b *strings.Builder) error {
			return scriptCard(ExecutionPage{Script: script}).Render(t.Context(), b)
		},
		"comparison": func(b *strings.Builder) error {
			return code.Diff("x", "Script", "b = 2\n", script).Render(t.Context(), b)
		},
	}
	for name, render := range pages {
		var b strings.Builder
		if err := render(&b); err != nil {
			t.Fatal(err)
		}
		text := regexp.MustCompile(`</?i[^>]*>`).ReplaceAllString(b.String(), "") // without colours
		if strings.ContainsAny(text, "\u202e\u2066\u2069") ||
			!strings.Contains(text, "# ⟨U+202E⟩⟨U+2066⟩harmless⟨U+2069⟩") ||
			!strings.Contains(text, "שלום = &#39;👩\u200d💻&#39;") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
