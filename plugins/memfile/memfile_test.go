package memfile

import (
	"os"
	"strconv"
	"testing"
)

func TestSealedFileCannotChange(t *testing.T) {
	f, err := Seal("x", []byte("content"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	path := "/proc/self/fd/" + strconv.Itoa(int(f.Fd()))
	if w, err := os.OpenFile(path, os.O_RDWR, 0); err == nil {
		defer w.Close()
		if _, err := w.Write([]byte("other")); err == nil {
			t.Error("a sealed file was written to")
		}
		if err := w.Truncate(0); err == nil {
			t.Error("a sealed file was cut")
		}
	}
}
