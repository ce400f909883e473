package landlock

import (
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMetadataByDescriptor lets a box read a file that belongs to its uid, as the system's own do
// where Airlock is root without any capability. It may not be changed in any way, while the box's
// own may.
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
