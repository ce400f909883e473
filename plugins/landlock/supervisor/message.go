package supervisor

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// LinkFD is the guest's descriptor of its link (package fdlink) with the supervisor.
const LinkFD = 3

// GuestMode is the argument that tells a guest that there is a supervisor.
const GuestMode = "supervised"

// Kind says what a message is.
type Kind string

// The kinds of messages. Either side accepts only expected ones. The guest's side is inside the box
// and trusted no further.
const (
	Hello   Kind = "hello"   // guest: connections are taken from now on
	Welcome Kind = "welcome" // supervisor: the ruleset is applied; ABI
	Begin   Kind = "begin"   // guest: from now on something else than Airlock's own programs may run
	Freeze  Kind = "freeze"  // guest: stop (On) or continue every process but the guest
	Frozen  Kind = "frozen"  // supervisor: On is the state that was reached
	Connect Kind = "connect" // supervisor, with a connected socket: somebody in the box wants to reach To; ID
	Verdict Kind = "verdict" // guest: ID's connection is taken if Errno is 0, else the caller gets that error
)

// Message is what supervisor and guest say. Only what its kind needs is set.
type Message struct {
	Kind  Kind           `json:"kind"`
	On    bool           `json:"on,omitempty"`
	ABI   int            `json:"abi,omitempty"`
	ID    uint32         `json:"id,omitempty"`
	Errno unix.Errno     `json:"errno,omitempty"`
	To    netip.AddrPort `json:"to,omitzero"` // IPv4
}
