package probe

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/computclaw/airlock/plugins"
)

// account is the interpreter's own of itself and of the distributions that it finds.
const account = `
import os, platform, sys
print(sys.version, sys.platform, platform.machine(), platform.libc_ver())
for folder in filter(None, sys.path):
    try: names = os.listdir(folder)
    except OSError: continue
    for name in sorted(names):
        if name.endswith((".dist-info", ".egg-info")): print(name)
`

// Identify returns Python's version in boxes and a digest of the runtime. Files that were changed
// without a change of version don't change it.
func Identify(ctx context.Context, python Python) (version, digest string, err error) {
	out, exit, err := python(ctx, "_runtime", plugins.Limits{}, account, nil)
	if err != nil {
		return "", "", fmt.Errorf("identify the runtime: %w", err)
	}
	if exit.Code != 0 || len(out) == 0 {
		return "", "", fmt.Errorf("python ended with code %d: %s", exit.Code, exit.Diagnostic)
	}
	version, _, _ = strings.Cut(string(out), " ") // sys.version begins with it
	if !isSupported(version) {
		return version, "", fmt.Errorf("python3 is %s, but scripts need 3.%d or newer", version, minPython)
	}
	sum := sha256.Sum256(out)
	return version, "python-sha256:" + hex.EncodeToString(sum[:]), nil
}

const minPython = 9

func isSupported(version string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return n == 2 && major == 3 && minor >= minPython
}
