package netns

import (
	"encoding/binary"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// openSYNSocket opens a raw socket that gets each packet that begins a connection to an address of
// a name. The box's first process thus learns of tries at unlistened ports. Without the capability
// they stay unrecorded.
func openSYNSocket() {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_NONBLOCK, unix.IPPROTO_TCP)
	if err != nil {
		return
	}
	if attachSYNFilter(fd) != nil || unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, 64<<10) != nil {
		unix.Close(fd)
	}
}

func attachSYNFilter(fd int) error {
	raw, err := SYNFilter()
	if err != nil {
		return err
	}
	return unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER,
		&unix.SockFprog{Len: uint16(len(raw) / 8), Filter: (*unix.SockFilter)(unsafe.Pointer(&raw[0]))})
}

// SYNFilter returns the filter for SYNSocket's socket, as the kernel takes it. It lets only the
// packets through that openSYNSocket is for: SYN without ACK, to 127.64.0.0/10.
func SYNFilter() ([]byte, error) {
	raw, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadAbsolute{Off: 16, Size: 2}, // destination, the upper half
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xffc0},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 127<<8 | 64, SkipTrue: 5},
		bpf.LoadMemShift{Off: 0}, // the length of the IP header
		bpf.LoadIndirect{Off: 13, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0x12},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x02, SkipTrue: 1},
		bpf.RetConstant{Val: 80}, // both headers
		bpf.RetConstant{Val: 0},
	})
	if err != nil {
		return nil, err
	}
	var out []byte
	for _, r := range raw {
		out = binary.NativeEndian.AppendUint16(out, r.Op)
		out = append(out, r.Jt, r.Jf)
		out = binary.NativeEndian.AppendUint32(out, r.K)
	}
	return out, nil
}
