package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/atomicfile"
)

// InstanceKeyFile is the name, inside the data directory, of the key that Airlock makes for itself.
const InstanceKeyFile = "instance.key"

// unfinished prefixes the names of key files being written.
const unfinished = ".instance.key-"

// maxKeyFile bounds the size of a key file, in bytes.
const maxKeyFile = 4096

// LoadInstanceKey returns the instance key and describes its source without secrets. It takes
// envValue (AIRLOCK_SECRET_KEY), else the file envFile (AIRLOCK_SECRET_KEY_FILE), else
// <dataDir>/instance.key. The last is created with mode 0600 if missing; created reports this.
// White space around a key is dropped.
//
// Errors: a key has fewer than 32 characters; envFile can't be read; instance.key is not a regular
// file, or is open to group or others. envFile may have any mode: secret mounts are often readable
// by all.
func LoadInstanceKey(envValue app.Secret, envFile, dataDir string) (key app.Secret, source string, created bool,
	err error) {
	switch path := filepath.Join(dataDir, InstanceKeyFile); {
	case !envValue.Empty():
		source = "AIRLOCK_SECRET_KEY"
		key = trimSecret(envValue.Reveal())
	case envFile != "":
		source = "AIRLOCK_SECRET_KEY_FILE"
		key, err = readKey(envFile, 0, func(fs.FileInfo) error { return nil })
	default:
		source = path
		key, created, err = ownKey(dataDir, path)
		key, _ = splitKeys(key)
	}
	if err == nil {
		err = checkLength(key)
	}
	if err != nil {
		return app.Secret{}, "", false, fmt.Errorf("secrets: instance key from %s: %w", source, err)
	}
	return key, source, created, nil
}

func ownKey(dir, path string) (key app.Secret, created bool, err error) {
	key, err = readKey(path, syscall.O_NOFOLLOW, checkOwn)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, false, err
	}
	if created, err = createKey(dir, path); err != nil {
		return app.Secret{}, false, err
	}
	key, err = readKey(path, syscall.O_NOFOLLOW, checkOwn)
	return key, created, err
}

func checkOwn(info fs.FileInfo) error {
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("group or others can read it (mode %04o); run: chmod 600", info.Mode().Perm())
	}
	return nil
}

func readKey(path string, flags int, check func(fs.FileInfo) error) (app.Secret, error) {
	// O_NONBLOCK: a FIFO in its place must not hang the start.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err != nil {
		return app.Secret{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return app.Secret{}, err
	}
	if !info.Mode().IsRegular() {
		return app.Secret{}, errors.New("it is not a regular file")
	}
	if err := check(info); err != nil {
		return app.Secret{}, err
	}
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile+1))
	if err != nil {
		return app.Secret{}, err
	}
	if len(text) > maxKeyFile {
		return app.Secret{}, fmt.Errorf("it is larger than %d bytes", maxKeyFile)
	}
	return trimSecret(string(text)), nil
}

// createKey writes a new key. A reader or a crash sees all of it or nothing. It reports false if
// another process was first.
func createKey(dir, path string) (created bool, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, err
	}
	file, err := os.CreateTemp(dir, unfinished+"*") // mode 0600
	if err != nil {
		return false, err
	}
	_, err = file.WriteString(NewInstanceKey().Reveal() + "\n")
	err = atomicfile.Finish(file, path, err)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	return err == nil, err
}

func trimSecret(text string) app.Secret { return app.NewSecret(strings.TrimSpace(text)) }

// OlderKeys returns the older keys in dataDir's key file. There are some only during a rotation.
func OlderKeys(dataDir string) ([]app.Secret, error) {
	text, err := readKey(filepath.Join(dataDir, InstanceKeyFile), syscall.O_NOFOLLOW, checkOwn)
	if err != nil {
		return nil, fmt.Errorf("secrets: instance key: %w", err)
	}
	_, older := splitKeys(text)
	return older, nil
}

// splitKeys splits a key file; the first line is the current key.
func splitKeys(text app.Secret) (current app.Secret, older []app.Secret) {
	for i, line := range strings.Split(text.Reveal(), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case i == 0:
			current = app.NewSecret(line)
		case line != "":
			older = append(older, app.NewSecret(line))
		}
	}
	return current, older
}

// NewInstanceKey makes a key: 256 random bits as text.
func NewInstanceKey() app.Secret {
	raw := make([]byte, 32)
	_, _ = rand.Read(raw)
	return app.NewSecret(base64.RawURLEncoding.EncodeToString(raw))
}

// WriteKeys replaces the key file in dataDir. A reader or a crash sees the old one or the new one.
func WriteKeys(dataDir string, current app.Secret, older ...app.Secret) (err error) {
	file, err := os.CreateTemp(dataDir, unfinished+"*") // mode 0600
	if err != nil {
		return fmt.Errorf("secrets: write the instance key: %w", err)
	}
	var text strings.Builder
	for _, k := range append([]app.Secret{current}, older...) {
		text.WriteString(k.Reveal() + "\n")
	}
	_, err = file.WriteString(text.String())
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), filepath.Join(dataDir, InstanceKeyFile))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("secrets: write the instance key: %w", err), os.Remove(file.Name()))
	}
	return errors.Join(DropUnfinishedKeys(dataDir), atomicfile.SyncDir(dataDir))
}

// DropUnfinishedKeys removes key files of killed writers, which may hold retired keys. The caller
// must be the only writer.
func DropUnfinishedKeys(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, e.Name())))
		}
	}
	return err
}
