package seccomp

import (
	"maps"
	"slices"

	"golang.org/x/net/bpf"
)

// Return values of a filter, and the error numbers it hands out. Both are kernel ABI.
const (
	retAllow = 0x7fff0000
	retErrno = 0x00050000
	retKill  = 0x80000000 // the whole process

	eperm        = 1
	eacces       = 13
	enotty       = 25
	enosys       = 38
	eafnosupport = 97
)

// AUDIT_ARCH_* values of the two architectures.
const (
	auditAMD64 = 0xc000003e
	auditARM64 = 0xc00000b7
)

// Offsets into struct seccomp_data. Arguments are 64 bits; on both architectures their low half
// comes first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

type builder struct {
	audit  uint32
	number func(call) int
	out    []bpf.Instruction
}

func (b *builder) emit(in ...bpf.Instruction) { b.out = append(b.out, in...) }

func errno(e uint32) bpf.Instruction { return bpf.RetConstant{Val: retErrno | e} }

func arg(n int) bpf.Instruction { return bpf.LoadAbsolute{Off: uint32(offArgs + 8*n), Size: 4} }

// architecture kills processes with another instruction set and refuses unreviewed numbers. Calls
// of amd64's x32 ABI carry a high bit and thus count as unreviewed.
func (b *builder) architecture() {
	b.emit(
		bpf.LoadAbsolute{Off: offArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: b.audit, SkipTrue: 1},
		bpf.RetConstant{Val: retKill},
		bpf.LoadAbsolute{Off: offNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: newest, SkipTrue: 1},
		errno(enosys),
	)
}

func (b *builder) deny(c call, e uint32) {
	if nr := b.number(c); nr != none {
		b.emit(bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(nr), SkipFalse: 1}, errno(e))
	}
}

// onCall runs body for c. The body must return on every path, since it may change the accumulator.
func (b *builder) onCall(c call, body ...bpf.Instruction) {
	nr := b.number(c)
	if nr == none {
		return
	}
	b.emit(bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(nr), SkipFalse: uint8(len(body))})
	b.emit(body...)
}

// namespaces allows new threads and processes, but no namespaces. clone3's flags are behind a
// pointer, where no filter can look. It answers ENOSYS, so libraries fall back to clone.
func (b *builder) namespaces(mediated, counted bool) {
	clone := uint32(retAllow)
	if mediated {
		clone = retNotify
	}
	b.deny(callClone3(), enosys)
	body := []bpf.Instruction{
		arg(0),
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: newAny, SkipFalse: 1},
		errno(eperm),
	}
	unshared := uint32(newAny | newTime)
	if counted {
		unshared |= ownFiles
		body = append(body,
			bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: newThread | ownFiles}, // which clone takes to mean: not its own
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: newThread, SkipFalse: 1},
			errno(eperm),
		)
	}
	b.onCall(callClone(), append(body, bpf.RetConstant{Val: clone})...)
	b.onCall(callUnshare(),
		arg(0),
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: unshared, SkipFalse: 1},
		errno(eperm),
		bpf.RetConstant{Val: retAllow},
	)
}

// countedMemory leaves only memory that is visible from outside a process. It excludes memory that
// outlives its mapping, and files in a thread's own descriptor table.
func (b *builder) countedMemory() {
	for _, c := range hiddenMemoryCalls() {
		b.deny(c, eperm)
	}
	const shared, anonymous = 0x01, 0x20
	b.onCall(callMmap(),
		arg(3),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: shared | anonymous},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: shared | anonymous, SkipFalse: 1},
		errno(eperm),
		bpf.RetConstant{Val: retAllow},
	)
	const closeRangeUnshare = 2
	b.onCall(callCloseRange(),
		arg(2),
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: closeRangeUnshare, SkipFalse: 1},
		errno(eperm),
		bpf.RetConstant{Val: retAllow},
	)
}

// sockets leaves Unix, IPv4 and IPv6, and of those no raw ones.
func (b *builder) sockets() {
	const (
		sockRaw, sockPacket = 3, 10
		typeMask            = 0xf
	)
	b.onCall(callSocket(),
		arg(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: afUnix, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: afInet, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: afInet6, SkipTrue: 1},
		errno(eafnosupport),
		arg(1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: typeMask},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: sockRaw, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: sockPacket, SkipFalse: 1},
		errno(eperm),
		bpf.RetConstant{Val: retAllow},
	)
	b.onCall(callSocketpair(),
		arg(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: afUnix, SkipTrue: 1},
		errno(eafnosupport),
		bpf.RetConstant{Val: retAllow},
	)
}

// socketOptions refuses options of sockets, by level, besides refusedSocket.
func (b *builder) socketOptions(more map[uint32][]uint32) {
	refused := map[uint32][]uint32{solSocket: refusedSocket()}
	for level, options := range more {
		refused[level] = append(refused[level], options...)
	}
	var body []bpf.Instruction
	for _, level := range slices.Sorted(maps.Keys(refused)) {
		block := []bpf.Instruction{arg(2)}
		for _, option := range refused[level] {
			block = append(block, bpf.JumpIf{Cond: bpf.JumpEqual, Val: option, SkipFalse: 1}, errno(eperm))
		}
		block = append(block, bpf.RetConstant{Val: retAllow})
		body = append(body, arg(1), bpf.JumpIf{Cond: bpf.JumpEqual, Val: level, SkipFalse: uint8(len(block))})
		body = append(body, block...)
	}
	b.onCall(callSetsockopt(), append(body, bpf.RetConstant{Val: retAllow})...)
}

// arguments closes single commands of calls that are needed otherwise.
func (b *builder) arguments(mediated bool) {
	b.onCall(callPersonality(),
		arg(0),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: personalityQuery, SkipTrue: 1},
		errno(eperm),
		bpf.RetConstant{Val: retAllow},
	)
	if !mediated {
		b.socketOptions(nil)
		b.refuse(callPrctl(), 0, setSeccomp)
		b.refuse(callFcntl(), 1, refusedFcntl()...)
		b.refuse(callIoctl(), 1, refusedIoctl()...)
		return
	}
	b.socketOptions(mediatedOptions())
	const setDumpable, setPtracer = 4, 0x59616d61 // the supervisor has to see the box's memory, and nobody else
	b.refuse(callPrctl(), 0, setSeccomp, setDumpable, setPtracer)
	const setOwner, setOwnerEx = 8, 15 // whom a descriptor's signals go to
	const tiocsti, tioclinux = 0x5412, 0x541c
	b.refuse(callFcntl(), 1, append(refusedFcntl(), setOwner, setOwnerEx)...)
	// Socket requests show the host's interfaces, and two choose a signal's receiver. File system
	// requests change flags and attributes of files that the caller owns, even if it may only read
	// them.
	const socketFirst, atMark, socketLast = 0x8900, 0x8905, 0x89ff
	const kind, flags, attributes, generation = 0xff00, 'f' << 8, 'X' << 8, 'v' << 8
	b.onCall(callIoctl(),
		arg(1),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: tiocsti, SkipTrue: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: tioclinux, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: atMark, SkipTrue: 3},
		bpf.JumpIf{Cond: bpf.JumpLessThan, Val: socketFirst, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: socketLast, SkipTrue: 1},
		errno(eperm),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: kind},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: flags, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: attributes, SkipTrue: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: generation, SkipFalse: 1},
		errno(enotty),
		bpf.RetConstant{Val: retAllow},
	)
}

// refuse refuses values of a call's argument n. Kernel and filter read 32 bits of it.
func (b *builder) refuse(c call, n int, values ...uint32) {
	body := []bpf.Instruction{arg(n)}
	for _, value := range values {
		body = append(body, bpf.JumpIf{Cond: bpf.JumpEqual, Val: value, SkipFalse: 1}, errno(eperm))
	}
	b.onCall(c, append(body, bpf.RetConstant{Val: retAllow})...)
}
