package views_test

import (
	"strings"
	"testing"
)

// The audit page says whom and what an entry is about, with a way there.
func TestAuditNamesSubjectAndActor(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		if s.name != "audit" {
			continue
		}
		var b strings.Builder
		if err := s.page.Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`<a href="/ui/profiles/h7v2k9q4m8x1"><code id="subject-5">h7v2k9q4m8x1</code></a>`,
			`<code id="subject-4">admin</code>`, "Somebody at 192.168.1.40", "Cancelled while running."} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("the page lacks %q", want)
			}
		}
		return
	}
	t.Fatal("there is no such page")
}
