package backups

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

func TestBackupsTakeArtifactsIfThatIsTicked(t *testing.T) {
	h, target := newFixture(t, "aaaa"), t.TempDir()
	h.Left = strings.Repeat("0123456789", 150_000)
	id := h.HandleOf(h.Execution(h.Locked("p", nil)))
	for _, ticked := range []bool{false, true} {
		set := toDir(target)
		set.Artifacts = ticked
		h.No(h.SetBackupSettings(t.Context(), person(), set))
		if kept, _, err := h.BackupSettings(t.Context()); err != nil || kept.Artifacts != ticked {
			t.Errorf("kept %v, %v", kept.Artifacts, err)
		}
		b := must[store.Backup](t)(h.BackUp(t.Context(), person()))
		restored := newFixture(t, "bbbb")
		must[content.Counts](t)(restored.cfg.Transfer.Fill(t.Context(), upload(must[[]byte](t)(os.ReadFile(filepath.Join(target, b.Name)))), nil))
		if content, _ := restored.Artifact(t.Context(), id); content != "" != ticked || ticked && content != h.Left {
			t.Errorf("ticked %v: %d bytes came back", ticked, len(content))
		}
	}
	full := serve(h.Instance, "aaaa", func(string) (int64, error) { // room for the database, not for the contents
		size, err := h.Store.Size(t.Context())
		return 2*size + 64<<20, err
	})
	_, err := full.BackUp(t.Context(), person())
	wantCode(t, "a backup without room for the contents", err, app.CodeTooLarge)
}
