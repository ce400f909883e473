package bubblewrap

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/computclaw/airlock/plugins"
)

// identify returns Python's version in boxes and the digest of the runtime. The digest is a sha256
// over the interpreter's version and dpkg's record of Python packages. Without dpkg it covers the
// interpreter only, and its prefix says so.
func (h *host) identify(ctx context.Context) (version, digest string, err error) {
	const script = "import sys, platform; print(sys.version, sys.platform, platform.machine(), platform.libc_ver())"
	python, exit, err := kind{h, true}.python(ctx, "_runtime", plugins.Limits{}, script, nil)
	if err != nil {
		return "", "", err
	}
	if exit.Code != 0 || len(python) == 0 {
		return "", "", fmt.Errorf("python ended with code %d: %s", exit.Code, exit.Diagnostic)
	}
	version, _, _ = strings.Cut(string(python), " ") // sys.version begins with it
	if !supported(version) {
		return version, "", fmt.Errorf("python3 is %s, but scripts need 3.%d or newer", version, minPython)
	}
	root := filepath.Dir(h.layout.usr)
	status, err := os.ReadFile(filepath.Join(root, "var/lib/dpkg/status"))
	if errors.Is(err, fs.ErrNotExist) {
		return version, "python-sha256:" + sum(python), nil
	}
	if err != nil {
		return version, "", err
	}
	packages := pythonPackages(status)
	return version, "dpkg-sha256:" + sum(python, []byte(strings.Join(packages, "\n"))), nil
}

const minPython = 9

func supported(version string) bool {
	var major, minor int
	n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor)
	return n == 2 && major == 3 && minor >= minPython
}

func sum(parts ...[]byte) string {
	hash := sha256.Sum256(bytes.Join(parts, []byte{0}))
	return hex.EncodeToString(hash[:])
}

// pythonPackages returns "name version architecture" of installed packages whose name or
// dependencies mention Python, sorted.
func pythonPackages(status []byte) []string {
	var out []string
	for stanza := range bytes.SplitSeq(status, []byte("\n\n")) {
		field := map[string]string{}
		for line := range bytes.Lines(stanza) {
			if key, value, ok := strings.Cut(string(line), ": "); ok && line[0] != ' ' {
				field[key] = strings.TrimSpace(value)
			}
		}
		if !strings.HasSuffix(field["Status"], " installed") {
			continue
		}
		if strings.Contains(field["Package"], "python") || strings.Contains(field["Depends"], "python3") ||
			field["Package"] == "libc6" {
			out = append(out, strings.Join([]string{field["Package"], field["Version"], field["Architecture"]}, " "))
		}
	}
	slices.Sort(out)
	return out
}
