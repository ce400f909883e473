package executionview

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestArtifactsAreLinksOnlyIfTheyAreKept(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	err := artifactsCard("x", Files{
		Artifacts: []Artifact{
			{Artifact: app.Artifact{Name: "kept.csv", Size: 9, Masked: 2}, URL: "/executions/x/artifacts/kept.csv?signature=y"},
			{Artifact: app.Artifact{Name: "held.xlsx", Withheld: "It holds a secret value.", Key: "TOKEN"}},
			{Artifact: app.Artifact{Name: "<b>old</b>"}},
		},
	}).Render(t.Context(), &page)
	if err != nil {
		t.Fatal(err)
	}
	text := page.String()
	for _, want := range []string{`href="/executions/x/artifacts/kept.csv?signature=y" download`,
		"2 secrets masked", "It holds a secret value. <code>TOKEN</code>", "&lt;b&gt;old&lt;/b&gt;", "No longer kept."} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if n := strings.Count(text, "<a "); n != 2 { // to the content and to its preview
		t.Errorf("%d links", n)
	}
}
