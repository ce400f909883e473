package seccomp

import "testing"

func TestMediatedVerdicts(t *testing.T) {
	const (
		allow  = uint32(retAllow)
		notify = uint32(retNotify)
		denied = uint32(retErrno | eperm)
		family = uint32(retErrno | eafnosupport)
		unfit  = uint32(retErrno | enotty)
		absent = uint32(retErrno | enosys)
		closed = uint32(retErrno | eacces)
	)
	tests := []struct {
		name         string
		amd64, arm64 int
		args         []uint64
		want         uint32
	}{
		{"connect", 42, 203, nil, notify},
		{"fork by clone", 56, 220, []uint64{17}, notify},
		{"clone new user", 56, 220, []uint64{0x10000011}, denied},
		{"bind", 49, 200, nil, denied},
		{"listen", 50, 201, nil, denied},
		{"unix stream", 41, 198, []uint64{1, 1}, allow},
		{"unix datagram", 41, 198, []uint64{1, 2}, denied},
		{"unix datagram with flags", 41, 198, []uint64{1, 2 | 0x80800}, denied},
		{"tcp", 41, 198, []uint64{2, 1 | 0x80800, 6}, allow},
		{"tcp by default", 41, 198, []uint64{10, 1, 0}, allow},
		{"mptcp", 41, 198, []uint64{2, 1, 262}, denied},
		{"sctp", 41, 198, []uint64{2, 1, 132}, denied},
		{"udp", 41, 198, []uint64{2, 2}, denied},
		{"udp6", 41, 198, []uint64{10, 2}, denied},
		{"raw", 41, 198, []uint64{2, 3}, denied},
		{"seqpacket inet", 41, 198, []uint64{2, 5}, denied},
		{"vsock", 41, 198, []uint64{40, 1}, family},
		{"netlink", 41, 198, []uint64{16, 3}, family},
		{"socketpair", 53, 199, []uint64{1, 1}, allow},
		{"socketpair of datagrams", 53, 199, []uint64{1, 2}, denied},
		{"sendto", 44, 206, []uint64{3, 0, 0, 0}, allow},
		{"sendto connecting", 44, 206, []uint64{3, 0, 0, 0x20000040}, denied},
		{"sendmsg connecting", 46, 211, []uint64{3, 0, 0x20000000}, denied},
		{"sendmmsg connecting", 307, 269, []uint64{3, 0, 1, 0x20000000}, denied},
		{"no delay", 54, 208, []uint64{3, 6, 1}, allow},
		{"fast open connect", 54, 208, []uint64{3, 6, 30}, denied},
		{"source route", 54, 208, []uint64{3, 0, 4}, denied},
		{"type of service", 54, 208, []uint64{3, 0, 1}, allow},
		{"routing header", 54, 208, []uint64{3, 41, 57}, denied},
		{"keep alive", 54, 208, []uint64{3, 1, 9}, allow},
		{"prlimit of itself", 302, 261, []uint64{0, 7}, allow},
		{"prlimit of another", 302, 261, []uint64{1234, 7}, denied},
		{"affinity of itself", 203, 122, []uint64{0}, allow},
		{"affinity of another", 203, 122, []uint64{1}, denied},
		{"setpriority of itself", 141, 140, []uint64{0, 0}, allow},
		{"setpriority of another", 141, 140, []uint64{0, 77}, denied},
		{"setpriority of a user", 141, 140, []uint64{2, 0}, denied},
		{"ioprio of itself", 251, 30, []uint64{1, 0}, allow},
		{"ioprio of a user", 251, 30, []uint64{3, 0}, denied},
		{"non-dumpable", 157, 167, []uint64{4, 0}, denied},
		{"program on a socket", 54, 208, []uint64{3, 1, 26}, denied},
		{"bound to a device", 54, 208, []uint64{3, 1, 25}, denied},
		{"filter of its own", 157, 167, []uint64{22, 2}, denied},
		{"requests of the host's quota", 206, 0, []uint64{30000}, denied},
		{"parent-death signal", 157, 167, []uint64{1, 9}, allow},
		{"shmat", 30, 196, nil, denied},
		{"semop", 65, 193, nil, denied},
		{"fcntl owner", 72, 25, []uint64{3, 8}, denied},
		{"fcntl lock", 72, 25, []uint64{3, 6}, allow},
		{"ioctl interfaces", 16, 29, []uint64{3, 0x8912}, denied},
		{"ioctl owner", 16, 29, []uint64{3, 0x8901}, denied},
		{"ioctl at mark", 16, 29, []uint64{3, 0x8905}, allow},
		{"ioctl non-blocking", 16, 29, []uint64{3, 0x5421}, allow},
		{"ioctl push input", 16, 29, []uint64{0, 0x5412}, denied},
		{"mount", 165, 40, nil, denied},
		{"fchmodat", 268, 53, nil, notify},
		{"utimensat", 280, 88, nil, notify},
		{"fchownat", 260, 54, nil, denied},
		{"setxattr", 188, 5, nil, denied},
		{"fchmod", 91, 52, nil, notify},
		{"fchown", 93, 55, nil, denied},
		{"fsetxattr", 190, 7, nil, denied},
		{"fremovexattr", 199, 16, nil, denied},
		{"ioctl file flags", 16, 29, []uint64{3, 0x40086602}, unfit},
		{"ioctl file attributes", 16, 29, []uint64{3, 0x401c5820}, unfit},
		{"ioctl generation", 16, 29, []uint64{3, 0x40087602}, unfit},
		{"ioctl verity", 16, 29, []uint64{3, 0x40806685}, unfit},
		{"ioctl terminal", 16, 29, []uint64{3, 0x5401}, allow},
		{"open to read", 257, 56, []uint64{0xffffff9c, 0, 0x80000}, allow},
		{"open to write", 257, 56, []uint64{0xffffff9c, 0, 0x80241}, allow},
		{"open for neither", 257, 56, []uint64{0xffffff9c, 0, 3}, closed},
		{"open for neither with flags", 257, 56, []uint64{0xffffff9c, 0, 0x80a43}, closed},
		{"open for neither with high bits", 257, 56, []uint64{0xffffff9c, 0, 1<<32 | 3}, closed},
		{"open to read and cut off", 257, 56, []uint64{0xffffff9c, 0, 0x200}, allow}, // Landlock looks
		{"open by a structure", 437, 437, nil, absent},
		{"truncate", 76, 45, nil, allow},
		{"ftruncate", 77, 46, nil, allow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			opts := Options{Mediated: true}
			if got := verdict(t, "amd64", opts, data(auditAMD64, tt.amd64, tt.args...)); got != tt.want {
				t.Errorf("amd64: %#x, want %#x", got, tt.want)
			}
			if got := verdict(t, "arm64", opts, data(auditARM64, tt.arm64, tt.args...)); got != tt.want {
				t.Errorf("arm64: %#x, want %#x", got, tt.want)
			}
		})
	}
}

// TestOpenToTruncate has every combination of access and O_TRUNC, on both architectures.
func TestOpenToTruncate(t *testing.T) {
	const (
		allow                      = uint32(retAllow)
		closed                     = uint32(retErrno | eacces)
		trunc, others, high uint64 = 0x200, 0x80c40, 7 << 32
	)
	for goarch, audit := range map[string]uint32{"amd64": auditAMD64, "arm64": auditARM64} {
		check := func(c call, want uint32, args ...uint64) {
			t.Helper()
			number := map[string]int{"amd64": c.amd64, "arm64": c.arm64}[goarch]
			if number == none {
				return
			}
			if got := verdict(t, goarch, Options{Mediated: true, OpenToTruncate: true},
				data(audit, number, args...)); got != want {
				t.Errorf("%s on %s with %#x: %#x, want %#x", c.name, goarch, args, got, want)
			}
		}
		// without and with O_TRUNC
		for access, verdicts := range [][2]uint32{{allow, closed}, {allow, allow}, {allow, allow}, {closed, closed}} {
			for cut, want := range verdicts {
				for _, more := range []uint64{0, others, high, others | high} {
					flags := uint64(access) | uint64(cut)*trunc | more
					check(callOpen(), want, 0, flags)
					check(callOpenat(), want, 0xffffff9c, 0, flags)
				}
			}
		}
		check(callTruncate(), closed)
		check(callOpenat2(), retErrno|enosys)
		check(call{"ftruncate", 77, 46}, allow)
		check(call{"creat", 85, none}, allow)
	}
}
