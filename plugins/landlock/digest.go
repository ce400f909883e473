package landlock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

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

// digest identifies the runtime. Files that were changed without a change of version don't change
// it.
func (h *host) digest(ctx context.Context) (string, error) {
	out, exit, err := h.python(ctx, "_runtime", plugins.Limits{}, account, nil)
	if err != nil {
		return "", err
	}
	if exit.Code != 0 || len(out) == 0 {
		return "", fmt.Errorf("python ended with code %d: %s", exit.Code, exit.Diagnostic)
	}
	sum := sha256.Sum256(out)
	return "python-sha256:" + hex.EncodeToString(sum[:]), nil
}
