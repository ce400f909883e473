package engine

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
)

const (
	boxMemory = 32 << 20 // of an idle box, generously
	poolShare = 8        // idle boxes may take this part of the memory that is available at start
)

// defaultPool is how many boxes are kept ready unless the operator says: one for each worker, as far as memory goes.
func defaultPool(workers int, meminfo []byte) int {
	available := availableMemory(meminfo)
	if available == 0 {
		return workers
	}
	return min(workers, max(int(available/poolShare/boxMemory), 1))
}

// availableMemory reads /proc/meminfo's text: bytes, or 0 if it doesn't say.
func availableMemory(meminfo []byte) int64 {
	lines := bufio.NewScanner(bytes.NewReader(meminfo))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil || kib < 0 {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// meminfo is empty where there is none.
func meminfo() []byte {
	text, _ := os.ReadFile("/proc/meminfo")
	return text
}
