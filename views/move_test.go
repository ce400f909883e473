package views_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/settingsview"
)

// The short id distinguishes profiles with equal or no descriptions. Unusable ones are marked.
func TestExportTellsProfilesApart(t *testing.T) {
	t.Parallel()
	s := shell(settingsview.MoveTitle, layout.SectionSettings)
	one := func(handle string) app.Profile { return app.Profile{Handle: handle, Description: "Monthly report"} }
	revoked, expired := one("cccccccccccc"), one("dddddddddddd")
	revoked.Revoked, expired.ExpiresAt = true, s.Now.Add(-time.Hour)
	var page bytes.Buffer
	err := settingsview.Move(settingsview.MovePage{Shell: s,
		Profiles: []app.Profile{one("aaaaaaaaaaaa"), one("bbbbbbbbbbbb"), revoked, expired}}).Render(t.Context(), &page)
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(page.String(), `class="checkboxes export-profiles"`)
	list, _, _ = strings.Cut(list, "</fieldset>")
	labels := strings.SplitAfter(list, "</label>")
	for i, want := range []string{"aaaaaaaa<", "bbbbbbbb<", "cccccccc<", "dddddddd<"} {
		state := map[int]string{2: format.State(app.StateRevoked), 3: format.State(app.StateExpired)}[i]
		if !strings.Contains(labels[i], want) || !strings.Contains(labels[i], "Monthly report") ||
			strings.Contains(labels[i], `class="state`) != (state != "") || !strings.Contains(labels[i], state) {
			t.Errorf("%s", labels[i])
		}
	}
}
