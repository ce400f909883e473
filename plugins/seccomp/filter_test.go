package seccomp

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
)

// data returns a struct seccomp_data for the simulator, which reads big-endian words from a packet.
func data(arch uint32, number int, args ...uint64) []byte {
	b := make([]byte, 64)
	binary.BigEndian.PutUint32(b[offNumber:], uint32(number))
	binary.BigEndian.PutUint32(b[offArch:], arch)
	for i, a := range args {
		binary.BigEndian.PutUint32(b[offArgs+8*i:], uint32(a))
		binary.BigEndian.PutUint32(b[offArgs+8*i+4:], uint32(a>>32))
	}
	return b
}

func verdict(t *testing.T, goarch string, opts Options, packet []byte) uint32 {
	t.Helper()
	program, err := Assemble(goarch, opts)
	if err != nil {
		t.Fatal(err)
	}
	return simulate(t, program, packet)
}

// simulate runs a filter. The simulator returns a number of bytes; a kill has the highest bit set
// and comes out negative.
func simulate(t interface{ Fatal(...any) }, program []bpf.Instruction, packet []byte) uint32 {
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	n, err := vm.Run(packet)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}

func TestVerdicts(t *testing.T) {
	const (
		allow  = uint32(retAllow)
		denied = uint32(retErrno | eperm)
		absent = uint32(retErrno | enosys)
		family = uint32(retErrno | eafnosupport)
	)
	tests := []struct {
		name         string
		amd64, arm64 int
		args         []uint64
		want         uint32
	}{
		{"read", 0, 63, nil, allow},
		{"openat", 257, 56, nil, allow},
		{"execve", 59, 221, nil, allow},
		{"landlock_create_ruleset", 444, 444, nil, allow},
		{"newest reviewed", 462, 462, nil, allow},
		{"first unknown", 463, 463, nil, absent},
		{"x32 read", 0x40000000, 0x40000000, nil, absent},
		{"mount", 165, 40, nil, denied},
		{"io_uring_setup", 425, 425, nil, denied},
		{"ptrace", 101, 117, nil, denied},
		{"bpf", 321, 280, nil, denied},
		{"clone3", 435, 435, nil, absent},
		{"fork by clone", 56, 220, []uint64{17}, allow},
		{"thread by clone", 56, 220, []uint64{0x3d0f00}, allow},
		{"clone new user", 56, 220, []uint64{0x10000011}, denied},
		{"clone new net and pid", 56, 220, []uint64{0x60000011}, denied},
		{"clone new cgroup", 56, 220, []uint64{0x02000011}, denied},
		{"unshare files", 272, 97, []uint64{0x400}, allow},
		{"unshare new time", 272, 97, []uint64{0x80}, denied},
		{"unshare new mount", 272, 97, []uint64{0x20000}, denied},
		{"unix socket", 41, 198, []uint64{1, 1}, allow},
		{"tcp socket", 41, 198, []uint64{2, 1 | 0x80800}, allow},
		{"udp6 socket", 41, 198, []uint64{10, 2}, allow},
		{"raw socket", 41, 198, []uint64{2, 3}, denied},
		{"raw socket with flags", 41, 198, []uint64{10, 3 | 0x80000}, denied},
		{"packet type", 41, 198, []uint64{2, 10}, denied},
		{"netlink", 41, 198, []uint64{16, 3}, family},
		{"packet", 41, 198, []uint64{17, 3}, family},
		{"alg", 41, 198, []uint64{38, 5}, family},
		{"vsock", 41, 198, []uint64{40, 1}, family},
		{"vsock with high bits", 41, 198, []uint64{1<<32 | 40, 1}, family},
		{"socketpair unix", 53, 199, []uint64{1, 1}, allow},
		{"socketpair tipc", 53, 199, []uint64{30, 1}, family},
		{"personality linux", 135, 92, []uint64{0}, allow},
		{"personality query", 135, 92, []uint64{0xffffffff}, allow},
		{"personality no randomize", 135, 92, []uint64{0x40000}, denied},
		{"fcntl lock", 72, 25, []uint64{3, 6}, allow},
		{"fcntl signal", 72, 25, []uint64{3, 10}, denied},
		{"fcntl lease", 72, 25, []uint64{3, 1024}, denied},
		{"fcntl notify", 72, 25, []uint64{3, 1026}, denied},
		{"ioctl window size", 16, 29, []uint64{0, 0x5413}, allow},
		{"ioctl push input", 16, 29, []uint64{0, 0x5412}, denied},
		{"ioctl push input with high bits", 16, 29, []uint64{0, 1<<32 | 0x5412}, denied},
		{"shmget", 29, 194, nil, allow},
		{"no delay", 54, 208, []uint64{3, 6, 1}, allow},
		{"keep alive", 54, 208, []uint64{3, 1, 9}, allow},
		{"the same number at another level", 54, 208, []uint64{3, 6, 26}, allow},
		{"program on a socket", 54, 208, []uint64{3, 1, 26}, denied},
		{"program on a socket with high bits", 54, 208, []uint64{3, 1<<32 | 1, 1<<32 | 26}, denied},
		{"loaded program on a socket", 54, 208, []uint64{3, 1, 50}, denied},
		{"program that chooses sockets", 54, 208, []uint64{3, 1, 51}, denied},
		{"loaded program that chooses sockets", 54, 208, []uint64{3, 1, 52}, denied},
		{"filter of its own", 157, 167, []uint64{22, 2}, denied},
		{"filter of its own by the newer call", 317, 277, []uint64{1}, denied},
		{"name of a thread", 157, 167, []uint64{15}, allow},
		{"requests of the host's quota", 206, 0, []uint64{30000}, denied},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := verdict(t, "amd64", Options{}, data(auditAMD64, tt.amd64, tt.args...)); got != tt.want {
				t.Errorf("amd64: %#x, want %#x", got, tt.want)
			}
			if got := verdict(t, "arm64", Options{}, data(auditARM64, tt.arm64, tt.args...)); got != tt.want {
				t.Errorf("arm64: %#x, want %#x", got, tt.want)
			}
		})
	}
}

func TestEveryDeniedCallIsRefused(t *testing.T) {
	for _, c := range deniedCalls() {
		for goarch, n := range map[string]struct {
			audit  uint32
			number int
		}{"amd64": {auditAMD64, c.amd64}, "arm64": {auditARM64, c.arm64}} {
			if n.number == none {
				continue
			}
			if got := verdict(t, goarch, Options{}, data(n.audit, n.number)); got != retErrno|eperm {
				t.Errorf("%s on %s: %#x", c.name, goarch, got)
			}
		}
	}
}

func TestForeignInstructionSetIsKilled(t *testing.T) {
	const i386, arm = 0x40000003, 0x40000028
	for _, arch := range []uint32{i386, arm, auditARM64} {
		if got := verdict(t, "amd64", Options{}, data(arch, 0)); got != retKill {
			t.Errorf("arch %#x on amd64: %#x, want kill", arch, got)
		}
	}
	if got := verdict(t, "arm64", Options{}, data(auditAMD64, 63)); got != retKill {
		t.Errorf("amd64 on arm64: %#x, want kill", got)
	}
}

func TestCountedMemoryOnly(t *testing.T) {
	const allow, denied = uint32(retAllow), uint32(retErrno | eperm)
	for _, tt := range []struct {
		name         string
		amd64, arm64 int
		args         []uint64
		want         uint32
	}{
		{"shmget", 29, 194, nil, denied},
		{"memory file", 319, 279, nil, denied},
		{"private memory", 9, 222, []uint64{0, 4096, 3, 0x22}, allow},
		{"shared file", 9, 222, []uint64{0, 4096, 3, 0x01, 3}, allow},
		{"shared memory", 9, 222, []uint64{0, 4096, 3, 0x21}, denied},
		{"shared and validated", 9, 222, []uint64{0, 4096, 3, 0x4023}, denied},
		{"close", 436, 436, []uint64{3, 9, 4}, allow},
		{"close with a table of its own", 436, 436, []uint64{3, 9, 6}, denied},
		{"unshare files", 272, 97, []uint64{0x400}, denied},
		{"unshare file system", 272, 97, []uint64{0x200}, allow},
		{"unshare new mount", 272, 97, []uint64{0x20000}, denied},
		{"fork", 56, 220, []uint64{17}, allow},
		{"fork as vfork does", 56, 220, []uint64{0x4111}, allow},
		{"thread", 56, 220, []uint64{0x3d0f00}, allow},
		{"thread with descriptors of its own", 56, 220, []uint64{0x3d0b00}, denied},
		{"clone new user", 56, 220, []uint64{0x10000011}, denied},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, opts := range []Options{{CountedMemoryOnly: true}, {Mediated: true}} {
				want := tt.want
				if opts.Mediated && want == allow && tt.amd64 == callClone().amd64 {
					want = retNotify
				}
				if got := verdict(t, "amd64", opts, data(auditAMD64, tt.amd64, tt.args...)); got != want {
					t.Errorf("amd64 %+v: %#x, want %#x", opts, got, want)
				}
				if got := verdict(t, "arm64", opts, data(auditARM64, tt.arm64, tt.args...)); got != want {
					t.Errorf("arm64 %+v: %#x, want %#x", opts, got, want)
				}
			}
		})
	}
}

func TestProgramIsTheKernelsForm(t *testing.T) {
	for _, goarch := range []string{"amd64", "arm64"} {
		program, err := Program(goarch, Options{})
		if err != nil {
			t.Fatal(err)
		}
		// First instruction: BPF_LD|BPF_W|BPF_ABS (0x20) of the architecture's offset.
		if len(program)%8 != 0 || len(program)/8 > 4096 || string(program[:8]) != "\x20\x00\x00\x00\x04\x00\x00\x00" {
			t.Errorf("%s: %d bytes, beginning %x", goarch, len(program), program[:8])
		}
	}
	if _, err := Program("riscv64", Options{}); err == nil {
		t.Error("riscv64: no error")
	}
}
