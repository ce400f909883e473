package transfer

import (
	"bytes"
	"testing"

	"github.com/computclaw/airlock/app"
)

// noted takes note of how far a job is each time something is written.
type noted struct {
	bytes.Buffer
	progress *Progress
	seen     []int64
}

func (n *noted) Write(p []byte) (int, error) {
	done, _ := n.progress.Of()
	n.seen = append(n.seen, done)
	return n.Buffer.Write(p)
}

// An export counts executions and a plan bytes, never backwards and to the end of what was
// expected: that is what the bars on their pages show.
func TestProgress(t *testing.T) {
	a, b, _ := twins(t)
	var exporting, planning Progress
	file := &noted{progress: &exporting}
	made := must[Exported](t)(a.Export(t.Context(), person(), file, app.NewSecret(words), all(), &exporting))
	done, total := exporting.Of()
	if made.Counts.Executions == 0 || total != made.Counts.Executions || done != total {
		t.Errorf("an export of %s ends at %d of %d", made.Counts, done, total)
	}
	for i, at := range file.seen {
		if at > total || i > 0 && at < file.seen[i-1] {
			t.Errorf("it was at %v of %d", file.seen, total)
			break
		}
	}
	size := int64(file.Len())
	must[Plan](t)(b.Plan(t.Context(), person(), upload(file.Bytes()), &planning))
	if done, total := planning.Of(); total != size || done != size {
		t.Errorf("reading a file of %d bytes ends at %d of %d", size, done, total)
	}
}
