package recovery_test

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// setClock steps CLOCK_REALTIME of one process, as if somebody set the machine's clock.
// CLOCK_MONOTONIC stays. No kernel namespace covers that clock, so it patches the process's vDSO:
// clock_gettime asks the kernel and adds the offset. It needs amd64 and root.
func setClock(t *testing.T, pid int, offset time.Duration) {
	t.Helper()
	page := openVDSO(t, pid)
	defer page.memory.Close()
	if page.text[page.clock] == 0xe9 { // stepped before: only the offset is another
		page.write(t, page.patch+uint64(len(skewedClock)), binary.LittleEndian.AppendUint64(nil, uint64(offset/time.Second)))
		return
	}
	page.write(t, page.patch, binary.LittleEndian.AppendUint64(bytes.Clone(skewedClock), uint64(offset/time.Second)))
	jump := binary.LittleEndian.AppendUint32([]byte{0xe9}, uint32(page.patch-page.clock-5))
	for !page.replace(t, pid, jump) { // a thread stood in the middle of what is replaced
	}
}

// skewedClock is clock_gettime(edi, rsi), which adds the seconds behind it to CLOCK_REALTIME.
var skewedClock = []byte{
	0xb8, 0xe4, 0, 0, 0, // mov eax, 228
	0x0f, 0x05, // syscall
	0x85, 0xff, // test edi, edi
	0x75, 0x0e, // jne to ret
	0x85, 0xc0, // test eax, eax
	0x75, 0x0a, // jne to ret
	0x48, 0x8b, 0x0d, 0x04, 0, 0, 0, // mov rcx, [rip+4]
	0x48, 0x01, 0x0e, // add [rsi], rcx
	0xc3, // ret
}

// vdso is the vDSO of a process.
type vdso struct {
	memory *os.File
	base   uint64
	text   []byte
	clock  uint64 // where clock_gettime begins, from base
	patch  uint64 // an unused place
}

func openVDSO(t *testing.T, pid int) vdso {
	t.Helper()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	e2e.Must(t, err)
	var v vdso
	for line := range strings.Lines(string(maps)) {
		if !strings.HasSuffix(strings.TrimSpace(line), "[vdso]") {
			continue
		}
		from, to, _ := strings.Cut(strings.Fields(line)[0], "-")
		v.base, err = strconv.ParseUint(from, 16, 64)
		e2e.Must(t, err)
		end, err := strconv.ParseUint(to, 16, 64)
		e2e.Must(t, err)
		v.text = make([]byte, end-v.base)
	}
	v.memory, err = os.OpenFile(fmt.Sprintf("/proc/%d/mem", pid), os.O_RDWR, 0)
	e2e.Must(t, err)
	_, err = v.memory.ReadAt(v.text, int64(v.base))
	e2e.Must(t, err)
	image, err := elf.NewFile(bytes.NewReader(v.text))
	e2e.Must(t, err)
	symbols, err := image.DynamicSymbols()
	e2e.Must(t, err)
	for _, s := range symbols {
		if s.Name == "__vdso_clock_gettime" {
			v.clock = s.Value
		}
	}
	v.patch = uint64(len(v.text) - 64) // the end of its last page
	if v.clock == 0 || image.Machine != elf.EM_X86_64 {
		t.Fatal("this vDSO is not known")
	}
	if v.text[v.clock] != 0xe9 && len(bytes.Trim(v.text[v.patch:], "\x00")) > 0 {
		t.Fatal("there is no room behind the vDSO")
	}
	return v
}

func (v vdso) write(t *testing.T, at uint64, text []byte) {
	t.Helper()
	_, err := v.memory.WriteAt(text, int64(v.base+at))
	e2e.Must(t, err)
}

// replace patches clock_gettime while the process stands still; false if a thread is inside.
func (v vdso) replace(t *testing.T, pid int, text []byte) bool {
	t.Helper()
	e2e.Must(t, syscall.Kill(pid, syscall.SIGSTOP))
	defer func() { e2e.Must(t, syscall.Kill(pid, syscall.SIGCONT)) }()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	e2e.Must(t, err)
	for _, thread := range threads {
		stopped := func() bool {
			stat, err := os.ReadFile(thread + "/stat")
			return err != nil || strings.HasPrefix(string(stat[bytes.LastIndexByte(stat, ')')+1:]), " T")
		}
		e2e.Eventually(t, 20*time.Second, "the thread stands still", stopped)
		where, err := os.ReadFile(thread + "/syscall")
		fields := strings.Fields(string(where))
		if err != nil || len(fields) == 0 {
			continue // it has ended
		}
		counter, err := strconv.ParseUint(strings.TrimPrefix(fields[len(fields)-1], "0x"), 16, 64)
		e2e.Must(t, err)
		if begin := v.base + v.clock; counter >= begin && counter < begin+uint64(len(text)) {
			return false
		}
	}
	v.write(t, v.clock, text)
	return true
}
