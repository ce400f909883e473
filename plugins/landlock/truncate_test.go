package landlock

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/landlock/ruleset"
)

// cutOff tries to get at a file by each call that can cut it off or open it for neither reading nor
// writing, and says what worked.
const cutOff = `
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
victim, numbers = sys.stdin.readline().strip(), %s
place = os.open(victim, os.O_PATH)
os.symlink(victim, "link")
for path in (victim, "link", "/proc/self/fd/%%d" %% place):
    p = path.encode()
    for flags in (0o1000, 0o1001, 0o1002, 0o1003, 3, 0o1100, 0o1103):
        tries = {"openat": (-100, p, flags, 0o666), "open": (p, flags, 0o666),
                 "openat2": (-100, p, struct.pack("=QQQ", flags, 0o666 * (flags >> 6 & 1), 0), 24)}
        for name, args in tries.items():
            if name in numbers and libc.syscall(numbers[name], *args) >= 0:
                print("%%s %%s %%o" %% (name, path, flags))
    for name, args in {"truncate": (p, 0), "creat": (p, 0o666)}.items():
        if name in numbers and libc.syscall(numbers[name], *args) >= 0:
            print(name, path)
print("tried")
`

// TestABoxCutsOffNothingOfTheHost has boxes as on kernels whose Landlock doesn't look at
// truncation, and one as on this kernel. The proof on Debian 12's kernel found truncate; opening
// for neither reading nor writing (O_ACCMODE) goes by every version of Landlock.
func TestABoxCutsOffNothingOfTheHost(t *testing.T) {
	dir, err := os.MkdirTemp("", "truncate-test-") // t.TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	victim := filepath.Join(dir, "victim")
	numbers := fmt.Sprintf(`{"truncate": %d, "openat": %d, "openat2": %d`, unix.SYS_TRUNCATE, unix.SYS_OPENAT,
		unix.SYS_OPENAT2)
	if runtime.GOARCH == "amd64" { // the only one of the two that has them
		numbers += `, "open": 2, "creat": 85`
	}
	for _, abi := range []int{1, 2, ruleset.ABI()} {
		if err := os.WriteFile(victim, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
		for path, mode := range map[string]os.FileMode{dir: 0o777, victim: 0o666} { // whatever the umask
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		h := inspected(t, "test-truncate", WithABI(abi))
		// so that it can be opened to read, as some of the system's could be that an operator gave away
		h.ruleset.Files = append(h.ruleset.Files, dir)
		out, exit, err := h.python(t.Context(), "_truncate", probeLimits(), fmt.Sprintf(cutOff, numbers+"}"),
			[]byte(victim+"\n"))
		if err != nil || string(out) != "tried\n" {
			t.Errorf("version %d: %v, %+v:\n%s", abi, err, exit, out)
		}
		if left, err := os.ReadFile(victim); err != nil || string(left) != "content" {
			t.Errorf("version %d: %q is left, %v", abi, left, err)
		}
	}
}
