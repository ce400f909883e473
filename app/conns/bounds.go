package conns

// Limits of the number of connections.
const (
	mostOpen   = 4096
	fewestOpen = 256       // however little memory there is
	memoryEach = 256 << 10 // bytes: 32 KiB of headers, 64 KiB of a body, 64 KiB of an answer, the runtime's
)

// MostOpen returns how many connections this machine has room for.
//
// memory: available bytes, negative if unknown. Half of the descriptors stay for store, plugins and
// egress.
func MostOpen(memory int64, descriptors uint64) int {
	most := mostOpen
	if memory >= 0 {
		most = int(min(mostOpen, max(memory/memoryEach, fewestOpen)))
	}
	if half := max(descriptors/2, 1); half < uint64(most) {
		most = int(half) //nolint:gosec // less than most
	}
	return most
}
