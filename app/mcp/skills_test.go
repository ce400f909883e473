package mcp

import (
	"context"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
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

// changing answers with one list of skills twice, then with another.
type changing struct{ asked int }

func (c *changing) RoundTrip(r *http.Request) (*http.Response, error) {
	c.asked++
	text := "one"
	if c.asked > 2 {
		text = "two"
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)),
		Request: r}, nil
}

// TestWatchSkillsAnnouncesChangesOnly: what stays the same is not announced.
func TestWatchSkillsAnnouncesChangesOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 5*lookEvery+lookEvery/2)
		defer cancel()
		api, announced := &changing{}, 0
		WatchSkills(ctx, client.Client{URL: "http://api.test", HTTP: &http.Client{Transport: api}}, app.NewSecret("ark_test"),
			func() { announced++ })
		if api.asked != 5 || announced != 1 {
			t.Errorf("asked %d times, announced %d", api.asked, announced)
		}
	})
}
