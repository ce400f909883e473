package blobs

import (
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
)

func TestFallbackReadsAnOlderStoreAndWritesToTheNewOne(t *testing.T) {
	t.Parallel()
	newer, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	older, err := OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := Fallback{Store: newer, Older: older}
	for name, s := range map[string]Store{"b": older, "a": f} {
		if err := s.Put(t.Context(), name, strings.NewReader(name), 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"a", "b"} {
		r, err := f.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(r); err != nil || string(text) != name {
			t.Errorf("%s: %q %v", name, text, err)
		}
		_ = r.Close()
	}
	if list, err := f.List(t.Context(), ""); err != nil || len(list) != 2 || list[0].Name != "a" {
		t.Errorf("%v %v", list, err)
	}
	if list, _ := older.List(t.Context(), ""); len(list) != 1 {
		t.Errorf("it was written to the older store: %v", list)
	}
	if err := f.Delete(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	if _, err := f.Get(t.Context(), "b"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
