package seccomp

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// verdictOf applies a profile as an engine does: the rule that matches decides, else the default.
func verdictOf(p profile, name string, args ...uint64) uint32 {
	for _, r := range p.Rules {
		if !slices.Contains(r.Names, name) {
			continue
		}
		holds := true
		for _, c := range r.Args {
			var a uint64
			if int(c.Index) < len(args) {
				a = args[c.Index]
			}
			holds = holds && a&c.Mask == c.Value
		}
		if !holds {
			continue
		}
		if r.Action == actAllow {
			return retAllow
		}
		return retErrno | uint32(*r.Errno)
	}
	return retErrno | eperm
}

func profileFor(t testing.TB, goarch string) profile {
	raw, err := Profile(goarch)
	if err != nil {
		t.Fatal(err)
	}
	var p profile
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// calls maps names to numbers, as the platform's own headers have them.
func calls(t testing.TB, goarch string) map[string]int {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/sys").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "unix", "zsysnum_linux_"+goarch+".go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, m := range regexp.MustCompile(`(?m)^\s+SYS_([A-Z0-9_]+)\s+= (\d+)$`).FindAllStringSubmatch(string(source),
		-1) {
		number, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		found[strings.ToLower(m[1])] = number
	}
	if len(found) < 300 {
		t.Fatalf("only %d calls in the platform's list", len(found))
	}
	return found
}

// TestProfileIsTheFilter compares the two forms for every call there is.
func TestProfileIsTheFilter(t *testing.T) {
	for goarch, audit := range map[string]uint32{"amd64": auditAMD64, "arm64": auditARM64} {
		p := profileFor(t, goarch)
		for name, number := range calls(t, goarch) {
			if number > newest || slices.Contains(retired(), name) {
				if got := verdictOf(p, name); got == retAllow {
					t.Errorf("%s on %s is allowed, but nobody reviewed it", name, goarch)
				}
				continue
			}
			want := verdict(t, goarch, Options{}, data(audit, number))
			if got := verdictOf(p, name); got != want {
				t.Errorf("%s on %s: profile %#x, filter %#x", name, goarch, got, want)
			}
		}
	}
}

// TestProfileDecidesByArguments compares the two forms for arguments near those that decide, in all
// 64 bits.
func TestProfileDecidesByArguments(t *testing.T) {
	p := profileFor(t, "amd64")
	near := rapid.OneOf(
		rapid.Uint64(),
		rapid.SampledFrom([]uint64{0, 1, 2, 3, 5, 9, 10, 11, 16, 17, 22, 40, 1023, 1024, 1025, 1026, 1027, 0x5411,
			0x5412,
			0x5413, 0x541c, 0x80801, 0x80803, 0xffffffff}),
		rapid.Custom(func(t *rapid.T) uint64 { return 1 << rapid.IntRange(0, 63).Draw(t, "bit") }),
		rapid.Custom(func(t *rapid.T) uint64 { return 0x100000000 | uint64(rapid.IntRange(0, 0x5420).Draw(t, "low")) }),
	)
	for _, c := range []call{callClone3(), callClone(), callUnshare(), callSocketpair(), callPersonality(), callFcntl(),
		callIoctl(), callPrctl()} {
		t.Run(c.name, rapid.MakeCheck(func(t *rapid.T) {
			a, b := near.Draw(t, "a"), near.Draw(t, "b")
			want := verdictWithin(t, data(auditAMD64, c.amd64, a, b))
			if got := verdictOf(p, c.name, a, b); got != want {
				t.Fatalf("%s(%#x, %#x): profile %#x, filter %#x", c.name, a, b, got, want)
			}
		}))
	}
	t.Run("setsockopt", rapid.MakeCheck(func(t *rapid.T) {
		options := rapid.OneOf(near, rapid.SampledFrom([]uint64{25, 26, 27, 49, 50, 51, 52, 53, 1<<32 | 26}))
		a, b, c := near.Draw(t, "a"), near.Draw(t, "b"), options.Draw(t, "c")
		want := verdictWithin(t, data(auditAMD64, callSetsockopt().amd64, a, b, c))
		if got := verdictOf(p, "setsockopt", a, b, c); got != want {
			t.Fatalf("setsockopt(%#x, %#x, %#x): profile %#x, filter %#x", a, b, c, got, want)
		}
	}))
	// The profile names the types of sockets it allows, the filter those it doesn't.
	t.Run("socket", rapid.MakeCheck(func(t *rapid.T) {
		a, b := near.Draw(t, "a"), near.Draw(t, "b")
		filter, got := verdictWithin(t, data(auditAMD64, callSocket().amd64, a, b)), verdictOf(p, "socket", a, b)
		unlisted := !slices.Contains([]uint64{1, 2, 5}, b&0xf)
		if got != filter && !(unlisted && got == retErrno|eperm) {
			t.Fatalf("socket(%#x, %#x): profile %#x, filter %#x", a, b, got, filter)
		}
	}))
}

func verdictWithin(t *rapid.T, packet []byte) uint32 {
	program, err := Assemble("amd64", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return simulate(t, program, packet)
}

func TestAllBut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		excluded := rapid.SliceOfNDistinct(rapid.Uint32(), 1, 5, rapid.ID).Draw(t, "excluded")
		value := rapid.OneOf(rapid.Uint32(), rapid.SampledFrom(excluded)).Draw(t, "value")
		matches := 0
		for _, c := range allBut(0, excluded...) {
			if uint64(value)&c.Mask == c.Value {
				matches++
			}
		}
		want := 1
		if slices.Contains(excluded, value) {
			want = 0
		}
		if matches != want {
			t.Fatalf("%#x matches %d conditions of all but %#x", value, matches, excluded)
		}
	})
}

// retired are numbers that the kernel never implemented, or no longer does, or uses for itself.
func retired() []string {
	return strings.Fields("afs_syscall arch_specific_syscall epoll_ctl_old epoll_wait_old getpmsg putpmsg security " +
		"tuxcall uprobe uretprobe")
}

// Outer returns the profile for a container in which Airlock opens boxes with bubblewrap. It allows
// a box's calls and those that make boxes: namespaces, mounts and a hostname. The boxes' narrower
// filter holds inside it. Calls that no box or server needs (modules, bpf, keyrings, kexec,
// io_uring, tracing, the host's clocks) stay refused, as by default. deploy/seccomp/airlock.json is
// its text.
func Outer() ([]byte, error) {
	enosysCode := uint(enosys)
	p := profile{Default: actErrno, Architectures: []string{"SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64"}}
	p.add(rule{Names: append(permittedNames(), outerCalls()...), Action: actAllow})
	for _, known := range []uint32{0, 0x0008, 0x20000, 0x20008, personalityQuery} {
		p.allow(callPersonality(), is(0, known))
	}
	for _, others := range allBut(0, 40) { // not AF_VSOCK, which leads to the hypervisor
		p.allow(callSocket(), others)
	}
	// Not EPERM: programs that are told that a call doesn't exist do without.
	p.add(rule{Names: []string{"io_uring_setup", "io_uring_enter", "io_uring_register"}, Action: actErrno,
		Errno: &enosysCode})
	out, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("seccomp: %w", err)
	}
	return append(out, '\n'), nil
}

// outerCalls are what a supervisor of boxes needs besides what boxes do.
func outerCalls() []string {
	return strings.Fields(`
		chroot clone clone3 fcntl ioctl inotify_init inotify_init1 lchown mount mount_setattr pidfd_getfd
		pivot_root prctl seccomp setdomainname sethostname setns setsockopt socketpair umount umount2 unshare
	`)
}

var update = flag.Bool("update", false, "write deploy/seccomp/airlock.json")

// What is shipped is what this package says.
func TestShippedProfile(t *testing.T) {
	const path = "../../deploy/seccomp/airlock.json"
	want, err := Outer()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is stale (%v); run: go test ./plugins/seccomp -run ShippedProfile -update", path, err)
	}
	var p profile
	if err := json.Unmarshal(got, &p); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]uint64{
		"bpf": nil, "keyctl": nil, "init_module": nil, "kexec_load": nil, "ptrace": nil, "perf_event_open": nil,
		"userfaultfd": nil, "reboot": nil,
		"open_by_handle_at": nil, "clock_settime": nil, "io_uring_setup": nil, "socket": {40},
		"personality": {0x0040000},
	} {
		if v := verdictOf(p, name, args...); v == retAllow {
			t.Errorf("%s%v is allowed", name, args)
		}
	}
	for name, args := range map[string][]uint64{"unshare": {newAny}, "clone": {newAny}, "mount": nil, "pivot_root": nil,
		"socket": {16}, "personality": {personalityQuery}} {
		if v := verdictOf(p, name, args...); v != retAllow {
			t.Errorf("%s%v is refused", name, args)
		}
	}
}
