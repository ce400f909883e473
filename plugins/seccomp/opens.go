package seccomp

import "golang.org/x/net/bpf"

// opens lets files be opened to read, to write or to do both. Landlock knows no right for the
// fourth value (O_ACCMODE, "for neither"), which opens every file and device that the box's uid
// could, and cuts it off before version 3. With toTruncate O_TRUNC takes write access, and
// truncation by path is refused. No filter can look at the flags of openat2, so it answers ENOSYS
// and libraries fall back.
func (b *builder) opens(toTruncate bool) {
	const accessMode, readOnly, trunc = 0x3, 0x0, 0x200
	b.deny(callOpenat2(), enosys)
	if toTruncate {
		b.deny(callTruncate(), eacces)
	}
	for _, open := range []struct {
		call  call
		flags int
	}{{callOpen(), 1}, {callOpenat(), 2}} {
		body := []bpf.Instruction{arg(open.flags)}
		if toTruncate {
			body = append(body,
				bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: accessMode | trunc},
				bpf.JumpIf{Cond: bpf.JumpEqual, Val: readOnly | trunc, SkipFalse: 1},
				errno(eacces),
			)
		}
		b.onCall(open.call, append(body,
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: accessMode},
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: accessMode, SkipFalse: 1},
			errno(eacces),
			bpf.RetConstant{Val: retAllow},
		)...)
	}
}
