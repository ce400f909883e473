package backups

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/blobs"
)

func wantField(t testing.TB, what string, err error, field string) {
	t.Helper()
	var e *app.Error
	if !errors.As(err, &e) || e.Field != field {
		t.Errorf("%s: %v, want it at %q", what, err, field)
		return
	}
	for _, raw := range []string{"blobs:", "invalid_field", "airlock-try", "stat "} {
		if strings.Contains(e.Message, raw) {
			t.Errorf("%s: %q", what, e.Message)
		}
	}
}

func TestWhatIsWrongWithATargetIsToldAtItsField(t *testing.T) {
	h := newFixture(t, "aaaa")
	file := filepath.Join(t.TempDir(), "file")
	h.No(os.WriteFile(file, nil, 0o600))
	for dir, says := range map[string]string{"/nowhere/at/all": "there is no directory", "here": "absolute path",
		file: "is not a directory"} {
		err := h.SetBackupSettings(t.Context(), person(), toDir(dir))
		wantField(t, dir, err, "directory")
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	s3 := func(change func(*blobs.S3)) BackupSettings {
		b := toDir("")
		b.Kind, b.S3 = ToS3, blobs.S3{Endpoint: "http://127.0.0.1:9", Bucket: "bucket", AccessKey: "a",
			SecretKey: app.NewSecret("s")}
		change(&b.S3)
		return b
	}
	for field, b := range map[string]BackupSettings{
		"bucket": s3(func(s *blobs.S3) { s.Bucket = "" }), "access_key": s3(func(s *blobs.S3) { s.AccessKey = "" }),
		"secret_key": s3(func(s *blobs.S3) { s.SecretKey = app.Secret{} }),
		"endpoint":   s3(func(*blobs.S3) {}),
	} {
		wantField(t, field, h.SetBackupSettings(t.Context(), person(), b), field)
	}
	odd := toDir("")
	odd.Kind = ToS3
	wantField(t, "what only the storage understands", odd.unusable(errors.New("blobs: write a: quota of the tenant")), "")
}

func TestTryingAStorageLeavesNoFileThere(t *testing.T) {
	dir := t.TempDir()
	target := must[*blobs.Dir](t)(blobs.OpenDir(dir))
	if err := tryTarget(t.Context(), swapping{Store: target, give: []byte("something else")}); !errors.Is(err, errOther) {
		t.Errorf("%v", err)
	}
	if left := must[[]os.DirEntry](t)(os.ReadDir(dir)); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
	if err := tryTarget(t.Context(), target); err != nil {
		t.Error(err)
	}
}
