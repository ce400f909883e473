package e2e

import (
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
)

// GoroutineReader reads goroutines of running Go programs from memory. Plugins have no port to ask,
// and SIGQUIT's dump would end them.
type GoroutineReader struct {
	t      *testing.T
	allgs  uint64 // address of the runtime's slice of all goroutines
	status int64  // offsets in a goroutine
	start  int64
	starts map[uint64]string // names of functions by their entry
	marked uint64            // address of what the last collection found in use, in bytes
}

// dead is the runtime's mark of an ended goroutine, kept for reuse.
const dead = 6

// NewGoroutineReader learns a program's layout. It needs fixed addresses and symbols, as from go
// build.
func NewGoroutineReader(t *testing.T, binary string) *GoroutineReader {
	t.Helper()
	file, err := elf.Open(binary)
	Must(t, err)
	defer file.Close()
	r := &GoroutineReader{t: t, starts: map[uint64]string{}}
	symbols, err := file.Symbols()
	Must(t, err)
	for _, s := range symbols {
		switch {
		case s.Name == "runtime.allgs":
			r.allgs = s.Value
		case s.Name == "runtime.gcController":
			r.marked = s.Value
		case elf.ST_TYPE(s.Info) == elf.STT_FUNC:
			r.starts[s.Value] = s.Name
		}
	}
	info, err := file.DWARF()
	Must(t, err)
	fields := structFields(t, info, "runtime.g")
	r.status, r.start = fields["atomicstatus"], fields["startpc"]
	controller := structFields(t, info, "runtime.gcControllerState")
	if file.Type != elf.ET_EXEC || r.allgs == 0 || r.status == 0 || r.start == 0 || r.marked == 0 ||
		controller["heapMarked"] == 0 {
		t.Fatalf("this Go program is not known: %v, %+v", file.Type, fields)
	}
	r.marked += uint64(controller["heapMarked"])
	return r
}

// Live returns the KiB of heap in use after a process's last garbage collection.
func (r *GoroutineReader) Live(pid int) int {
	r.t.Helper()
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	Must(r.t, err)
	defer memory.Close()
	var b [8]byte
	_, err = memory.ReadAt(b[:], int64(r.marked))
	Must(r.t, err)
	return int(binary.LittleEndian.Uint64(b[:]) >> 10)
}

// structFields returns the offsets of a struct's fields.
func structFields(t *testing.T, info *dwarf.Data, name string) map[string]int64 {
	t.Helper()
	for entries := info.Reader(); ; {
		entry, err := entries.Next()
		Must(t, err)
		if entry == nil {
			t.Fatalf("there is no %s", name)
		}
		if entry.Tag != dwarf.TagStructType || entry.Val(dwarf.AttrName) != name {
			continue
		}
		kind, err := info.Type(entry.Offset)
		Must(t, err)
		fields := map[string]int64{}
		for _, f := range kind.(*dwarf.StructType).Field {
			fields[f.Name] = f.ByteOffset
		}
		return fields
	}
}

// Of counts a process's goroutines by first function, without the runtime's. The process keeps
// running, so a starting or ending one may be wrong.
func (r *GoroutineReader) Of(pid int) map[string]int {
	r.t.Helper()
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	Must(r.t, err)
	defer memory.Close()
	word := func(at uint64) uint64 {
		var b [8]byte
		_, err := memory.ReadAt(b[:], int64(at))
		Must(r.t, err)
		return binary.LittleEndian.Uint64(b[:])
	}
	first, n := word(r.allgs), word(r.allgs+8)
	list := make([]byte, 8*n)
	_, err = io.ReadFull(io.NewSectionReader(memory, int64(first), int64(len(list))), list)
	Must(r.t, err)
	found := map[string]int{}
	for ; len(list) > 0; list = list[8:] {
		g := binary.LittleEndian.Uint64(list)
		name, status := r.starts[word(g+uint64(r.start))], uint32(word(g+uint64(r.status)))
		if status != dead && (!strings.HasPrefix(name, "runtime.") || name == "runtime.main") {
			found[name]++
		}
	}
	return found
}
