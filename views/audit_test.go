package views_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/views/browsertest"
)

// The page names actor and subject with a link.
func TestAuditNamesSubjectAndActor(t *testing.T) {
	t.Parallel()
	page := rendered(t, "audit")
	text := strings.Join(strings.Fields(page.Find("#events").Text()), " ")
	for _, want := range []string{
		"Profile locked Locked with 3 keys and 2 hosts.",
		"Hosts requested Asked for 2 hosts.", "Monthly revenue report from Oracle", "Ada Lovelace",
		"Agent of “Monthly revenue report from Oracle” at 192.168.1.40", "Somebody at 192.168.1.40",
		"Execution cancelled Cancelled while running.", "Deleted profile z9y8x7w6",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q: %s", want, text)
		}
	}
	if rows := page.Find("#events > table > tbody > tr").Length(); rows != 9 {
		t.Errorf("%d rows, want 9", rows)
	}
	if href := page.Find("#events tbody a").First().AttrOr("href", ""); href != "/ui/profiles/h7v2k9q4m8x1" {
		t.Errorf("the first subject leads to %q", href)
	}
}

func TestAuditRowsAreLow(t *testing.T) {
	t.Parallel()
	b := browsertest.New(t, gallery(t).URL)
	for _, width := range []int64{1280, 1600} {
		b.Size(width, 844)
		for page, most := range map[string]string{"audit": "84", "audit-lengthy": "120"} {
			b.Open("/" + page)
			wrong := b.Text(`[...document.querySelectorAll(".events tbody tr")].filter((row) =>
				row.offsetHeight > ` + most + ` || row.cells[3].offsetWidth < 130).map((row) => row.offsetHeight + " px high, " +
				row.cells[3].offsetWidth + " px for who: " + row.innerText).join("; ")`)
			if wrong != "" {
				t.Errorf("%s at %d px: %s", page, width, wrong)
			}
		}
	}
}
