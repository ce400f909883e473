package transfers

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/transfer"
)

func TestJobSize(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{transfer.JobExport: "12,345 executions", transfer.JobImport: "12 KiB",
		transfer.JobPlan: "12 KiB"} {
		if got := jobSize(transfer.Job{Kind: kind, Total: 12_345}); strings.ReplaceAll(got, "\u00a0", " ") != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
