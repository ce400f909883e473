package docker

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
)

// Labels of what the backend creates.
const (
	labelInstance = "airlock.instance" // containers: whose they are
	labelBox      = "airlock.box"      // containers: the box's id
	labelOwner    = "airlock.owner"    // containers: the process that made it
	labelKey      = "airlock.key"      // images: what they were made from
	labelOf       = "airlock.of"       // images: the name of the operator's image
	labelPython   = "airlock.python"   // images: path of the interpreter
)

// repository is where derived images get their tags.
const repository = "airlock/box"

// layer is the version of the files that images get besides airlock-init.
const layer = "1"

// image is one of the operator's, pinned by its id, with the derived one that boxes run.
type image struct {
	name string // as the operator wrote it
	id   string
	arch string
	env  []string // names that the image sets, which boxes must not have

	layers []string // digests

	deriving sync.Mutex
	derived  string // id
	python   string // path of the interpreter
}

// current is the id of the derived image.
func (i *image) current() string {
	i.deriving.Lock()
	defer i.deriving.Unlock()
	return i.derived
}

func (e *engine) findImage(ctx context.Context, name string) (*image, error) {
	found, err := within(ctx, callTime, func(ctx context.Context) (client.ImageInspectResult, error) {
		return e.api.ImageInspect(ctx, name)
	})
	if errdefs.IsNotFound(err) {
		return nil, missingImage{name}
	}
	if err != nil {
		return nil, fmt.Errorf("image %s: %w", name, explain(err))
	}
	i := &image{name: name, id: found.ID, arch: found.Architecture, layers: found.RootFS.Layers}
	if found.Os != "linux" {
		return nil, fmt.Errorf("image %s is for %s; boxes need linux", name, found.Os)
	}
	if found.Config == nil {
		return i, nil
	}
	if len(found.Config.Volumes) > 0 {
		return nil, fmt.Errorf("image %s declares volumes, and a box must have nothing writable but /tmp; build it "+
			"without VOLUME", name)
	}
	for _, variable := range found.Config.Env {
		key, _, _ := strings.Cut(variable, "=")
		i.env = append(i.env, key)
	}
	return i, nil
}

type missingImage struct{ name string }

func (m missingImage) Error() string { return m.text() + ": " + m.advice() }

func (m missingImage) text() string { return "the engine has no image " + m.name }

// advice is what an operator can do.
func (m missingImage) advice() string {
	if m.name == DefaultImage {
		return "docker build -t " + m.name + " deploy/sandbox there, or name one with python3 in AIRLOCK_DOCKER_IMAGE"
	}
	return "docker pull " + m.name + " there"
}

// derive makes sure that the image with airlock-init exists. Its tag identifies what it was made
// from.
func (h *host) derive(ctx context.Context, i *image) error {
	i.deriving.Lock()
	defer i.deriving.Unlock()
	guest, err := h.guest(i.arch)
	if err != nil {
		return err
	}
	key := keyOf(i.id, guest)
	found, err := h.findDerived(ctx, i, key)
	if found || err != nil {
		return err
	}
	if err := h.makeDerived(ctx, i, key, guest); err != nil {
		return fmt.Errorf("prepare image %s: %w", i.name, explain(err))
	}
	return nil
}

// findDerived looks for the image that was derived from i. It goes by the tag: a pulled image's
// author chooses its labels.
func (h *host) findDerived(ctx context.Context, i *image, key string) (bool, error) {
	found, err := within(ctx, callTime, func(ctx context.Context) (client.ImageInspectResult, error) {
		return h.api.ImageInspect(ctx, repository+":"+key)
	})
	if errdefs.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("image %s:%s: %w", repository, key, explain(err))
	}
	layers := found.RootFS.Layers
	if found.Config == nil || found.Config.Labels[labelKey] != key || len(layers) != len(i.layers)+1 ||
		!slices.Equal(layers[:len(i.layers)], i.layers) {
		return false, nil
	}
	i.derived, i.python = found.ID, found.Config.Labels[labelPython]
	return true, nil
}

func keyOf(id string, guest []byte) string {
	sum := sha256.Sum256(guest)
	key := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%x", layer, id, sum))
	return hex.EncodeToString(key[:16])
}

// makeDerived uploads into a container that never starts, and commits it. It mounts nothing of the
// host, so the engine may be anywhere.
func (h *host) makeDerived(ctx context.Context, i *image, key string, guest []byte) error {
	stage := fmt.Sprintf("airlock-stage-%s", strings.ToLower(rand.Text()))
	defer func() { _ = h.remove(ctx, stage) }()
	_, err := within(ctx, callTime, func(ctx context.Context) (client.ContainerCreateResult, error) {
		return h.api.ContainerCreate(ctx, client.ContainerCreateOptions{
			Name: stage,
			Config: &container.Config{
				Image: i.id, Entrypoint: []string{"/airlock-init"}, NetworkDisabled: true,
				Labels: h.labels(""),
			},
			HostConfig: &container.HostConfig{NetworkMode: "none", LogConfig: container.LogConfig{Type: "none"}},
		})
	})
	if err != nil {
		return err
	}
	python, err := h.findPython(ctx, stage)
	if err != nil {
		return err
	}
	_, err = within(ctx, callTime, func(ctx context.Context) (client.CopyToContainerResult, error) {
		return h.api.CopyToContainer(ctx, stage,
			client.CopyToContainerOptions{DestinationPath: "/", Content: bytes.NewReader(archive(guest))})
	})
	if err != nil {
		return err
	}
	made, err := within(ctx, callTime, func(ctx context.Context) (client.ContainerCommitResult, error) {
		return h.api.ContainerCommit(ctx, stage, client.ContainerCommitOptions{
			Reference: repository + ":" + key, NoPause: true,
			// A commit takes over the labels of its container, and the image belongs to no process.
			Config: &container.Config{Labels: map[string]string{labelKey: key, labelOf: i.name, labelPython: python,
				labelOwner: ""}},
		})
	})
	if err != nil {
		return err
	}
	i.derived, i.python = made.ID, python
	return nil
}

// findPython looks in the directories of the guest's PATH.
func (h *host) findPython(ctx context.Context, stage string) (string, error) {
	for _, path := range []string{"/usr/local/bin/python3", "/usr/bin/python3", "/bin/python3"} {
		_, err := within(ctx, callTime, func(ctx context.Context) (client.ContainerStatPathResult, error) {
			return h.api.ContainerStatPath(ctx, stage, client.ContainerStatPathOptions{Path: path})
		})
		if err == nil {
			return path, nil
		}
		if !errdefs.IsNotFound(err) {
			return "", err
		}
	}
	return "", fmt.Errorf("it has no python3 in /usr/local/bin, /usr/bin or /bin")
}

func archive(guest []byte) []byte {
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	// Writes to a buffer don't fail.
	// runc gives a mount the mode of what it covers
	_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: "tmp/", Mode: 0o1777})
	for _, f := range []struct {
		name    string
		mode    int64
		content []byte
	}{
		{"airlock-init", 0o555, guest},
		{"etc/passwd", 0o444, []byte("nobody:x:65534:65534:nobody:/tmp:/usr/sbin/nologin\n")},
		{"etc/group", 0o444, []byte("nogroup:x:65534:\n")},
		{"etc/nsswitch.conf", 0o444,
			[]byte("passwd: files\ngroup: files\nhosts: files dns\nservices: files\nprotocols: files\n")},
	} {
		_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: f.mode, Size: int64(len(f.content))})
		_, _ = w.Write(f.content)
	}
	_ = w.Close()
	return buf.Bytes()
}

// dropOld removes derived images of an earlier base or airlock-init. Images in use stay until the
// next time. Another Airlock on this engine rebuilds one that it misses.
func (h *host) dropOld(ctx context.Context, i *image) {
	list, err := within(ctx, callTime, func(ctx context.Context) (client.ImageListResult, error) {
		return h.api.ImageList(ctx, client.ImageListOptions{Filters: client.Filters{}.Add("label", labelOf+"="+i.name)})
	})
	if err != nil {
		return
	}
	for _, old := range list.Items {
		if old.ID == i.derived || slices.ContainsFunc(old.RepoTags, isForeign) {
			continue
		}
		_, _ = within(ctx, callTime, func(ctx context.Context) (client.ImageRemoveResult, error) {
			return h.api.ImageRemove(ctx, old.ID, client.ImageRemoveOptions{PruneChildren: true})
		})
	}
}

// isForeign reports whether a tag isn't one of ours. An image's labels don't matter.
func isForeign(tag string) bool {
	return !strings.HasPrefix(tag, repository+":") && !strings.HasPrefix(tag, "<none>")
}
