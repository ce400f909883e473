package seccomp

import "golang.org/x/net/bpf"

// opens allows opening files to read, write or both. Landlock has no right for the fourth value
// (O_ACCMODE, "for neither"): it opens all that the box's uid could, and truncates before version
// 3. With toTruncate O_TRUNC needs write access, and truncation by path is refused. A filter can't
// see openat2's flags, so it answers ENOSYS and libraries fall back.
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
