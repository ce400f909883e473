package initbin

import (
	"strings"
	"testing"
)

func TestForUnknownArchitectureSaysWhatToDo(t *testing.T) {
	_, err := For("riscv64")
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Fatalf("For(riscv64) = %v, want an error that names make build", err)
	}
}
