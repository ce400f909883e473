package seccomp

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/net/bpf"
)

// Options choose between the filter's variants.
type Options struct {
	// CountedMemoryOnly also denies calls that take memory invisible from outside. These are System V
	// IPC, memory files, shared memory without a file, and a thread's own descriptor table. Backends
	// that poll memory set it; Mediated implies it.
	CountedMemoryOnly bool

	// Mediated is for boxes that share their host's namespaces. Connect, fork, threads, and changes
	// of files' mode and times go to the filter's listener (SECCOMP_FILTER_FLAG_NEW_LISTENER). The
	// ways around it are closed. So are System V IPC, listening sockets, datagrams, calls that
	// change other processes of the same uid, and changes of files' owners, extended attributes and
	// flags. Files open only to read or write: Landlock allows any open for neither.
	Mediated bool

	// OpenToTruncate allows truncation only through a descriptor opened to write, which Landlock
	// restricts. It refuses truncation by path, and O_TRUNC without write access, which Landlock
	// ignores before version 3. It needs Mediated.
	OpenToTruncate bool
}

// Program returns the filter for goarch ("amd64" or "arm64") in the kernel's form. That is an array
// of struct sock_filter in that architecture's byte order, as bwrap's --seccomp and seccomp(2) take
// it.
func Program(goarch string, opts Options) ([]byte, error) {
	instructions, err := Assemble(goarch, opts)
	if err != nil {
		return nil, err
	}
	raw, err := bpf.Assemble(instructions)
	if err != nil {
		return nil, fmt.Errorf("seccomp: assemble: %w", err)
	}
	out := make([]byte, 0, 8*len(raw))
	for _, r := range raw {
		out = binary.LittleEndian.AppendUint16(out, r.Op)
		out = append(out, r.Jt, r.Jf)
		out = binary.LittleEndian.AppendUint32(out, r.K)
	}
	return out, nil
}

// Assemble returns the filter for goarch as instructions.
func Assemble(goarch string, opts Options) ([]bpf.Instruction, error) {
	b := builder{}
	switch goarch {
	case "amd64":
		b.audit, b.number = auditAMD64, func(c call) int { return c.amd64 }
	case "arm64":
		b.audit, b.number = auditARM64, func(c call) int { return c.arm64 }
	default:
		return nil, fmt.Errorf("seccomp: no filter for architecture %q", goarch)
	}
	b.architecture()
	for _, c := range deniedCalls() {
		b.deny(c, eperm)
	}
	counted := opts.CountedMemoryOnly || opts.Mediated
	if counted {
		b.countedMemory()
	}
	if opts.Mediated {
		b.addMediated()
		b.mediatedSockets()
		b.opens(opts.OpenToTruncate)
	} else {
		b.sockets()
	}
	b.namespaces(opts.Mediated, counted)
	b.arguments(opts.Mediated)
	b.emit(bpf.RetConstant{Val: retAllow})
	return b.out, nil
}
