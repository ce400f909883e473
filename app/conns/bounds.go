package conns

// What connections may take of a machine.
const (
	mostOpen   = 4096
	fewestOpen = 256      // however little memory there is
	mostHeld   = 64 << 20 // bytes
	leastHeld  = 8 << 20
	// available at start for each connection: a quarter of it for 64 KiB each, with what the runtime
	// needs
	memoryOpen = 4 * 64 << 10
	memoryHeld = 16 // and this part for what they hold
)

// Bounds returns how many connections fit, and how many bytes they may hold together.
//
// memory is what is available, in bytes; negative if that is unknown. Half of the process's
// descriptors stay for the store, the plugins and egress.
func Bounds(memory int64, descriptors uint64) (most int, held int64) {
	most, held = mostOpen, mostHeld
	if memory >= 0 {
		most = int(min(mostOpen, max(memory/memoryOpen, fewestOpen)))
		held = min(mostHeld, max(memory/memoryHeld, leastHeld))
	}
	if half := max(descriptors/2, 1); half < uint64(most) {
		most = int(half) //nolint:gosec // less than most
	}
	return most, held
}
