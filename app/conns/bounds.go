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

// Bounds are the connections that there is room for, and the bytes that they may hold, in so much
// available memory (negative if that is unknown) and so many descriptors of the process, half of
// which are left to the store, the plugins and egress.
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
