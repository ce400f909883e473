package ssh

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"golang.org/x/crypto/ssh"
)

// upload is a program for the other machine, under a name with its digest.
type upload struct {
	name, sum string
	data      []byte
}

func newUpload(prefix string, data []byte) upload {
	digest := sha256.Sum256(data)
	sum := hex.EncodeToString(digest[:])
	return upload{name: prefix + sum, sum: sum, data: data}
}

// archScript tells what the machine is.
const archScript = `printf "%s " airlock-look "$(uname -s)" "$(uname -m)"; echo`

// architecture returns the machine's architecture as Go names it.
func architecture(client *ssh.Client) (string, error) {
	c, err := start(client, archScript)
	if err != nil {
		return "", err
	}
	defer c.close()
	text, err := c.answer("airlock-look ")
	if err != nil {
		return "", fmt.Errorf("run a command there (does the account have a shell?): %w", err)
	}
	system, machine, _ := strings.Cut(strings.TrimSpace(text), " ")
	arch := map[string]string{"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}[machine]
	if system != "Linux" || arch == "" {
		return "", fmt.Errorf("the machine is %.40q; boxes need Linux on x86_64 or aarch64", strings.TrimSpace(text))
	}
	return arch, nil
}

// uploadScript takes directory ("" for the default), name and sha256. It answers "airlock-have
// PATH", or "airlock-send PATH" and, after the end of its stdin, "airlock-done".
const uploadScript = `set -e; umask 077; d="$1"; if [ -z "$d" ]; then d="$HOME/.cache/airlock"; fi; mkdir -p "$d"; ` +
	`if [ -L "$d" ]; then echo "$d is a link" >&2; exit 3; fi; ` +
	`if [ -O "$d" ]; then chmod 700 "$d"; else echo "$d belongs to another user" >&2; exit 3; fi; ` +
	`f="$d/$2"; digest() { sha256sum < "$1" | cut -c 1-64; }; ` +
	`if [ -f "$f" ] && [ "$(digest "$f")" = "$3" ]; then chmod 500 "$f"; echo "airlock-have $f"; exit 0; fi; ` +
	`t="$f.part-$$"; cleanup() { rm -f "$t"; }; trap cleanup 0; trap "exit 5" 1 2 13 15; ` +
	`echo "airlock-send $f"; cat > "$t"; ` +
	`if [ "$(digest "$t")" = "$3" ]; then chmod 500 "$t"; mv -f "$t" "$f"; echo airlock-done; ` +
	`else echo "the upload was not complete" >&2; exit 4; fi`

// remotePath is what an answered path may look like. It becomes a word of a command.
var remotePath = regexp.MustCompile(`^/[A-Za-z0-9._/ @+=,-]+$`)

// put makes sure that u is in dir, sends it if needed, and returns its path.
func put(ctx context.Context, client *ssh.Client, dir string, u upload) (string, error) {
	c, err := start(client, uploadScript, dir, u.name, u.sum)
	if err != nil {
		return "", err
	}
	defer c.close()
	text, err := c.answer("airlock-")
	if err != nil {
		return "", explainUpload(dir, err)
	}
	state, path, _ := strings.Cut(text, " ")
	if len(path) > 1001 || !remotePath.MatchString(path) {
		return "", fmt.Errorf("the path %.100q has characters in it that Airlock avoids; set AIRLOCK_PLUGIN_SSH_DIR "+
			"to a directory of that user", path)
	}
	if state == "have" {
		return path, nil
	}
	if state != "send" {
		return "", fmt.Errorf("unexpected answer %.40q", state)
	}
	// A failing Write says only that the other side has ended; why is in its last words.
	if _, err := bytes.NewReader(u.data).WriteTo(c.stdin); err == nil {
		c.stdin.Close()
	}
	if _, err := c.answer("airlock-done"); err != nil {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", explainUpload(dir, err)
	}
	return path, nil
}

func explainUpload(dir string, err error) error {
	if dir == "" {
		dir = "~/.cache/airlock"
	}
	var failed *remoteError
	if !errors.As(err, &failed) {
		return fmt.Errorf("upload to %s: %w", dir, err)
	}
	var advice string
	switch text := failed.stderr; {
	case strings.Contains(text, "No space left"), strings.Contains(text, "quota"):
		advice = ". The disk there is full: make room, or set AIRLOCK_PLUGIN_SSH_DIR to a directory with 40 MB"
	case strings.Contains(text, "sha256sum"):
		advice = ". That machine needs sha256sum (coreutils)"
	case strings.Contains(text, "ermission denied"), strings.Contains(text, "Read-only"),
		strings.Contains(text, "another user"), strings.Contains(text, "cannot create"):
		advice = ". Set AIRLOCK_PLUGIN_SSH_DIR to a directory that the user may write to"
	}
	return fmt.Errorf("upload to %s failed: %w%s", dir, err, advice)
}
