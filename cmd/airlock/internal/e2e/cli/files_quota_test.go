package cli_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestFilesStayWithinTheQuota: what one profile sends and what its scripts leave count together; more is
// refused, or withheld while the execution keeps its verdict. What was deleted counts while it is on the disk.
func TestFilesStayWithinTheQuota(t *testing.T) {
	t.Parallel()
	d := filesDesk{e2e.StartInstance(t, "AIRLOCK_SANDBOX=bubblewrap", "AIRLOCK_POOL=1", "AIRLOCK_FILES_QUOTA=1MiB")}
	ours, theirs := d.Placed("bubblewrap"), d.Placed("bubblewrap")
	content := bytes.Repeat([]byte("0123456789"), 50_000)
	id := d.upload(ours, "a.csv", content)
	x := d.run(ours, map[string]any{"files": map[string]string{"a.csv": id}, "script": `
data = files.open("a.csv").read()
save_file("1", data + "1")
save_file("2", data + "2")
set_result(1)`})
	if x.Status != "completed" || len(x.Artifacts) != 2 || x.Artifacts[0].Withheld != nil || x.Artifacts[1].Withheld == nil ||
		x.Artifacts[1].Withheld.Reason != "The profile's quota of stored files is used up." {
		t.Errorf("%+v", x)
	}
	refused := func(when string) {
		t.Helper()
		status, text, _ := d.do("POST", "/files?name=b.csv", ours, content)
		if status != http.StatusRequestEntityTooLarge || !strings.Contains(string(text), "its quota is 1 MiB") {
			t.Errorf("%s: %d %s", when, status, text)
		}
	}
	refused("over the quota")
	if status, _, _ := d.do("DELETE", "/files/"+id, ours, nil); status != http.StatusNoContent {
		t.Errorf("deleting: %d", status)
	}
	refused("after a deletion")
	d.upload(theirs, "b.csv", content)
	if _, text, _ := d.do("GET", "/metrics", e2e.SuiteToken, nil); !strings.Contains(string(text), "airlock_files_quota_refused_total 3\n") {
		t.Error("the metrics count other than three refusals")
	}
}
