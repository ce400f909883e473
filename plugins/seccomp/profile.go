package seccomp

import (
	"encoding/json"
	"fmt"
)

// Profile returns the filter for goarch as a container engine's JSON profile. Docker, Podman and
// containerd read it.
//
// libseccomp can't hold an exception to an allowed call. So the profile inverts the policy: it
// refuses everything except permitted, and where an argument decides, it allows every other value.
// A name unknown to an engine stays refused. runc answers ENOSYS for newer calls and kills other
// instruction sets, as Program does.
func Profile(goarch string) ([]byte, error) {
	arch, ok := map[string]string{"amd64": "SCMP_ARCH_X86_64", "arm64": "SCMP_ARCH_AARCH64"}[goarch]
	if !ok {
		return nil, fmt.Errorf("seccomp: no profile for architecture %q", goarch)
	}
	p := profile{Default: actErrno, Architectures: []string{arch}}
	p.add(rule{Names: permittedNames(), Action: actAllow})
	p.namespaces()
	p.sockets()
	p.arguments()
	out, err := json.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("seccomp: %w", err)
	}
	return out, nil
}

const (
	actAllow = "SCMP_ACT_ALLOW"
	actErrno = "SCMP_ACT_ERRNO" // EPERM unless the rule says otherwise
	masked   = "SCMP_CMP_MASKED_EQ"
)

type profile struct {
	Default       string   `json:"defaultAction"`
	Architectures []string `json:"architectures"`
	Rules         []rule   `json:"syscalls"`
}

// rule holds where all of its conditions do. Rules about one call must not overlap.
type rule struct {
	Names  []string    `json:"names"`
	Action string      `json:"action"`
	Errno  *uint       `json:"errnoRet,omitempty"`
	Args   []condition `json:"args,omitempty"`
}

// condition is argument & Mask == Value. The order of an engine's fields is mask first.
type condition struct {
	Index uint   `json:"index"`
	Mask  uint64 `json:"value"`
	Value uint64 `json:"valueTwo"`
	Op    string `json:"op"`
}

func (p *profile) add(r rule) { p.Rules = append(p.Rules, r) }

func (p *profile) allow(c call, args ...condition) {
	p.add(rule{Names: []string{c.name}, Action: actAllow, Args: args})
}

func (p *profile) refuse(c call, errno uint, args ...condition) {
	p.add(rule{Names: []string{c.name}, Action: actErrno, Errno: &errno, Args: args})
}

// bits is the condition that argument n has the given value in the bits of mask.
func bits(n uint, mask, value uint32) condition {
	return condition{Index: n, Mask: uint64(mask), Value: uint64(value), Op: masked}
}

// is is the condition that the low half of argument n has the given value. The kernel reads only
// that half.
func is(n uint, value uint32) condition { return bits(n, 0xffffffff, value) }

func (p *profile) namespaces() {
	p.refuse(callClone3(), enosys)
	p.allow(callClone(), bits(0, newAny, 0))
	p.allow(callUnshare(), bits(0, newAny|newTime, 0))
}

func (p *profile) sockets() {
	const typeMask, stream, datagram, packets = 0xf, 1, 2, 5
	for _, family := range []uint32{afUnix, afInet, afInet6} {
		for _, kind := range []uint32{stream, datagram, packets} {
			p.allow(callSocket(), is(0, family), bits(1, typeMask, kind))
		}
	}
	for _, others := range allBut(0, afUnix, afInet, afInet6) {
		p.refuse(callSocket(), eafnosupport, others)
	}
	p.allow(callSocketpair(), is(0, afUnix))
	for _, others := range allBut(0, afUnix) {
		p.refuse(callSocketpair(), eafnosupport, others)
	}
}

func (p *profile) arguments() {
	for _, value := range []uint32{0, personalityQuery} {
		p.allow(callPersonality(), is(0, value))
	}
	for _, others := range allBut(1, solSocket) {
		p.allow(callSetsockopt(), others)
	}
	for _, others := range allBut(2, refusedSocket()...) {
		p.allow(callSetsockopt(), is(1, solSocket), others)
	}
	for _, others := range allBut(0, setSeccomp) {
		p.allow(callPrctl(), others)
	}
	for _, others := range allBut(1, refusedFcntl()...) {
		p.allow(callFcntl(), others)
	}
	for _, others := range allBut(1, refusedIoctl()...) {
		p.allow(callIoctl(), others)
	}
}

// allBut returns disjoint conditions that together hold for every value but these. It halves each
// range that contains one of them.
func allBut(n uint, values ...uint32) []condition {
	var out []condition
	var split func(mask, prefix uint32, bit int, inside []uint32)
	split = func(mask, prefix uint32, bit int, inside []uint32) {
		switch {
		case len(inside) == 0:
			out = append(out, bits(n, mask, prefix))
			return
		case bit < 0:
			return // exactly one of the values
		}
		half := uint32(1) << bit
		var low, high []uint32
		for _, v := range inside {
			if v&half == 0 {
				low = append(low, v)
			} else {
				high = append(high, v)
			}
		}
		split(mask|half, prefix, bit-1, low)
		split(mask|half, prefix|half, bit-1, high)
	}
	split(0, 0, 31, values)
	return out
}
