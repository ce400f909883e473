package app

import (
	"fmt"
	"strconv"
	"strings"
)

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// FormatSize returns bytes in the largest dividing unit, such as 512 MiB.
func FormatSize(n int64) string {
	for _, unit := range sizeUnits {
		if n >= unit.bytes && n%unit.bytes == 0 {
			return fmt.Sprintf("%d %s", n/unit.bytes, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// ApproxSize returns a size with at most one decimal, such as 1.1 GiB.
func ApproxSize(n int64) string {
	for _, unit := range sizeUnits {
		if n >= unit.bytes {
			return strings.Replace(fmt.Sprintf("%.1f %s", float64(n)/float64(unit.bytes), unit.name), ".0 ", " ", 1)
		}
	}
	return Count(n, "byte")
}

// ParseSize reads "512MiB", "512Mi", "64 KiB" or a plain number of bytes.
func ParseSize(text string) (int64, error) {
	digits, bytes := text, int64(1)
	for _, unit := range sizeUnits {
		if rest, ok := strings.CutSuffix(strings.TrimSuffix(text, "B"), strings.TrimSuffix(unit.name, "B")); ok {
			digits, bytes = rest, unit.bytes
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	if err != nil || n <= 0 || n > (1<<50)/bytes {
		return 0, fmt.Errorf("%q is not a size such as 512MiB, 64KiB or 1048576", Clip(text, 40))
	}
	return n * bytes, nil
}
