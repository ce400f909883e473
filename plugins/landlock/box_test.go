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

// TestMetadataByDescriptor gives a box a foreign file of its own uid, as a root without
// capabilities may. The box must change only its own files' metadata.
func TestMetadataByDescriptor(t *testing.T) {
	h := inspected(t, "test-metadata")
	file, err := os.CreateTemp(h.tmp, "host-file-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.Remove(file.Name())
	h.identity.count = min(h.identity.count, 1) // so that it's known which one the box gets
	if uid := int(h.identity.first); uid != 0 {
		if err := os.Chown(file.Name(), uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	file.Close()
	h.ruleset.Files = append(h.ruleset.Files, file.Name())
	const script = `
import fcntl, os, struct, sys
def attempts(fd):
    yield "fchmod", lambda: os.fchmod(fd, 0o4755)
    yield "futimens", lambda: os.utime(fd, (5, 6))
theirs = os.open(%q, os.O_RDONLY)
if os.fstat(theirs).st_uid != os.getuid(): print("not the box's", os.fstat(theirs).st_uid, os.getuid())
def refused(what, act):
    try: act()
    except OSError: return
    print(what, "worked")
for what, act in attempts(theirs): refused(what, act)
refused("fchown", lambda: os.fchown(theirs, -1, -1))
refused("fsetxattr", lambda: os.setxattr(theirs, "user.x", b"1"))
refused("fremovexattr", lambda: os.removexattr(theirs, "user.y"))
refused("flags", lambda: fcntl.ioctl(theirs, 0x40086602, struct.pack("l", 0x80)))
refused("attributes", lambda: fcntl.ioctl(theirs, 0x401c5820, bytes(28)))
own = os.open("own", os.O_CREAT | os.O_RDWR)
for what, act in attempts(own): act()
if os.stat("own").st_mode & 0o7777 != 0o755 or os.stat("own").st_mtime != 6: print("its own: ", os.stat("own"))
os.unlink("own")
os.fchmod(own, 0o600)
if os.fstat(own).st_mode & 0o7777 != 0o600: print("its own, removed: ", os.fstat(own))
`
	out, exit, err := h.python(t.Context(), "_metadata", probeLimits(), fmt.Sprintf(script, file.Name()), nil)
	if err != nil || exit.Code != 0 || len(out) != 0 {
		t.Errorf("%v %+v\n%s", err, exit, out)
	}
	var stat unix.Stat_t
	if err := unix.Stat(file.Name(), &stat); err != nil || stat.Mode&0o7777 != 0o600 {
		t.Errorf("%v, mode %o", err, stat.Mode&0o7777)
	}
}

// TestConnectionsBesideDescriptorsOnTheirWay checks connections while a box keeps many descriptors
// in flight, which count by uid.
func TestConnectionsBesideDescriptorsOnTheirWay(t *testing.T) {
	const script = `
import array, json, os, socket, threading
def send(kind, **more): supervisor.send(json.dumps(dict(more, kind=kind)).encode())
supervisor = socket.socket(fileno=os.dup(3))
send("hello")
supervisor.recv(4096)
def take_connections():
    while True:
        data, ancillary, _, _ = supervisor.recvmsg(4096, 64)
        send("verdict", id=json.loads(data)["id"])
        os.close(array.array("i", ancillary[0][2])[0])
threading.Thread(target=take_connections, daemon=True).start()
a, b = socket.socketpair()
try:
    for _ in range(100): socket.send_fds(a, [b"x"], [1] * 50)
except OSError: pass
socket.create_connection(("127.77.0.1", 443)).close()
print("connected")
`
	out, exit, err := inspected(t, "test-on-their-way").python(t.Context(), "_way", probeLimits(), script, nil)
	if err != nil || string(out) != "connected\n" {
		t.Errorf("%v %+v %s", err, exit, out)
	}
}

func TestConnectionsBesideDescriptorsOnTheirWayWithSharedUID(t *testing.T) {
	asNobody(t, "TestConnectionsBesideDescriptorsOnTheirWay", nil, "")
}

// TestConnectionsUseOnePort closes the far ends of many connections first, which keeps the host's
// port busy for a minute.
func TestConnectionsUseOnePort(t *testing.T) {
	const script = `
import array, json, os, socket, threading
def send(kind, **more): supervisor.send(json.dumps(dict(more, kind=kind)).encode())
supervisor = socket.socket(fileno=os.dup(3))
send("hello")
supervisor.recv(4096)
def take_connections():
    while True:
        data, ancillary, _, _ = supervisor.recvmsg(4096, 64)
        with socket.socket(fileno=array.array("i", ancillary[0][2])[0]) as s:
            send("verdict", id=json.loads(data)["id"])
            s.sendall(b"hello")
threading.Thread(target=take_connections, daemon=True).start()
ports = set()
def connect(times):
    for _ in range(times):
        with socket.create_connection(("127.77.0.1", 443)) as s:
            ports.add(s.getpeername()[1])
            if s.recv(9) != b"hello": print("nobody there")
            s.recv(1)
threads = [threading.Thread(target=connect, args=(10,)) for _ in range(4)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(ports))
`
	out, exit, err := inspected(t, "test-ports").python(t.Context(), "_ports", probeLimits(), script, nil)
	if err != nil || string(out) != "1\n" {
		t.Errorf("%v %+v, ports: %s", err, exit, out)
	}
}

// cutOff tries every call that can truncate a file or open it for neither reading nor writing, and
// prints what worked.
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

// TestABoxCutsOffNothingOfTheHost checks truncation with and without Landlock's control of it.
// O_ACCMODE opens for neither reading nor writing, past every version of Landlock.
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
