package e2e

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// OfInstance reports whether a control group is of the instance with that label.
func OfInstance(path, label string) bool {
	return strings.HasPrefix(filepath.Base(path), "airlock."+label+".")
}

// OfBox is OfInstance without the groups of templates, which stay between boxes.
func OfBox(path, label string) bool {
	return OfInstance(path, label) && !strings.Contains(filepath.Base(path), ".template-")
}

// GroupsWith lists control groups.
func GroupsWith(t *testing.T, wanted func(path string) bool) []string {
	var found []string
	Must(t, filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // others' come and go
		}
		if d.IsDir() && wanted(path) {
			found = append(found, path)
		}
		return nil
	}))
	return found
}

// LabelOf returns the word by which an instance's backends name what they make.
func LabelOf(t *testing.T, in *Instance) string {
	key, _, _, err := secrets.LoadInstanceKey(app.Secret{}, "", in.Dir)
	Must(t, err)
	ring, err := secrets.NewKeyring(key)
	Must(t, err)
	return (&instance.Instance{Keyring: ring}).Label()
}
