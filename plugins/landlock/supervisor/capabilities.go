package supervisor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Capabilities are sets of them, as bits by number.
type Capabilities struct{ Effective, Permitted, Bounding uint64 }

// OwnCapabilities returns the calling thread's.
func OwnCapabilities() (Capabilities, error) {
	_, data, err := capabilities()
	if err != nil {
		return Capabilities{}, err
	}
	c := Capabilities{
		Effective: uint64(data[0].Effective) | uint64(data[1].Effective)<<32,
		Permitted: uint64(data[0].Permitted) | uint64(data[1].Permitted)<<32,
	}
	for number := range 64 {
		in, err := unix.PrctlRetInt(unix.PR_CAPBSET_READ, uintptr(number), 0, 0, 0)
		if err != nil {
			break // more than this kernel knows
		}
		c.Bounding |= uint64(in) << number
	}
	return c, nil
}

// Powerless reports whether there is no capability and no way to get one by execution. Uid 0 is
// then an ordinary user.
func (c Capabilities) Powerless() bool { return c.Permitted == 0 && c.Bounding == 0 }

// Has reports whether all of these are in effect.
func (c Capabilities) Has(numbers ...int) bool {
	for _, number := range numbers {
		if c.Effective&(1<<number) == 0 {
			return false
		}
	}
	return true
}

// clearInheritable keeps programs executed by the calling thread from inheriting capabilities. Only
// a change of uid from or to 0 drops them, so other supervisors need this.
func clearInheritable() error {
	header, data, err := capabilities()
	if err != nil {
		return err
	}
	data[0].Inheritable, data[1].Inheritable = 0, 0 // the ambient set goes with it
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("clear inheritable capabilities: %w", err)
	}
	return nil
}

func capabilities() (unix.CapUserHeader, [2]unix.CapUserData, error) {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return header, data, fmt.Errorf("read capabilities: %w", err)
	}
	return header, data, nil
}
