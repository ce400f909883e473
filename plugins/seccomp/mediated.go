package seccomp

import "golang.org/x/net/bpf"

// retNotify hands the call to the holder of the filter's listener.
const retNotify = 0x7fc00000

// addMediated adds the rules for a box that shares its host's namespaces (Options.Mediated). A
// supervisor decides calls with arguments behind a pointer; the ways around these calls are closed.
func (b *builder) addMediated() {
	for _, c := range append([]call{callConnect(), callFork(), callVfork()}, metadata()...) {
		b.notify(c)
	}
	for _, c := range append(sharedCalls(), dispensable()...) {
		b.deny(c, eperm)
	}
	b.fastOpen()
	b.foreignProcesses()
}

// notify hands c to the supervisor.
func (b *builder) notify(c call) {
	if nr := b.number(c); nr != none {
		b.emit(bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(nr), SkipFalse: 1}, bpf.RetConstant{Val: retNotify})
	}
}

// fastOpen refuses the flag with which a send call connects. A filter can't see sendmsg's address,
// but a stream socket uses that only with this flag.
func (b *builder) fastOpen() {
	const msgFastOpen = 0x20000000
	for _, send := range []struct {
		call  call
		flags int
	}{{callSendto(), 3}, {callSendmsg(), 2}, {callSendmmsg(), 3}} {
		b.onCall(send.call,
			arg(send.flags),
			bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: msgFastOpen, SkipFalse: 1},
			errno(eperm),
			bpf.RetConstant{Val: retAllow},
		)
	}
}

// mediatedOptions are options that could redirect a connected socket's packets, or connect in a
// send.
func mediatedOptions() map[uint32][]uint32 {
	const ip, tcp, ipv6 = 0, 6, 41
	return map[uint32][]uint32{
		ip:        {4},                // IP_OPTIONS: source routes
		solSocket: {25},               // SO_BINDTODEVICE
		tcp:       {19, 23, 30, 31},   // TCP_REPAIR, TCP_FASTOPEN, TCP_FASTOPEN_CONNECT, TCP_ULP
		ipv6:      {5, 6, 54, 55, 57}, // routing and hop headers, old and new
	}
}

// foreignProcesses allows calls to name only their own process, by 0. The kernel would allow others
// of the same uid.
func (b *builder) foreignProcesses() {
	for _, c := range []call{callPrlimit(), callSetscheduler(), callSetparam(), callSetattr(), callSetaffinity()} {
		b.onCall(c,
			arg(0),
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
			errno(eperm),
			bpf.RetConstant{Val: retAllow},
		)
	}
	// Both take a kind (process, group, user) first; a whole user is never the caller's own.
	const processes, processOfIO = 0, 1
	for _, set := range []struct {
		call call
		kind uint32
	}{{callSetpriority(), processes}, {callIoprioSet(), processOfIO}} {
		b.onCall(set.call,
			arg(0),
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: set.kind, SkipTrue: 1},
			errno(eperm),
			arg(1),
			bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1},
			errno(eperm),
			bpf.RetConstant{Val: retAllow},
		)
	}
}

// mediatedSockets allows Unix and TCP streams. A filter can't see a datagram's address.
func (b *builder) mediatedSockets() {
	const (
		stream, seqPacket = 1, 5
		typeMask          = 0xf
		tcp               = 6
	)
	unixTypes := []bpf.Instruction{
		arg(1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: typeMask},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: stream, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: seqPacket, SkipTrue: 1},
		errno(eperm),
		bpf.RetConstant{Val: retAllow},
	}
	body := []bpf.Instruction{arg(0), bpf.JumpIf{Cond: bpf.JumpEqual, Val: afUnix, SkipFalse: uint8(len(unixTypes))}}
	body = append(body, unixTypes...)
	b.onCall(callSocketpair(), append(body, errno(eafnosupport))...)
	b.onCall(callSocket(), append(body,
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: afInet, SkipTrue: 2},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: afInet6, SkipTrue: 1},
		errno(eafnosupport),
		arg(1),
		bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: typeMask},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: stream, SkipTrue: 1},
		errno(eperm),
		arg(2),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 2}, // the family's usual protocol, TCP
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: tcp, SkipTrue: 1},
		errno(eperm),
		bpf.RetConstant{Val: retAllow},
	)...)
}
