package ssh

import (
	"context"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

// TestConformance runs the suite over a real sshd. The remote user has polled limits, and control
// groups where this host allows that. The first way gets the shortest suite, because bubblewrap's
// tests cover limits.
func TestConformance(t *testing.T) {
	groups := sandboxtest.FindGroups(t)
	t.Run("polled", func(t *testing.T) {
		m := sshtest.New(t, sshtest.Options{})
		sandboxtest.Run(t, sandboxtest.Plugin(Name, m.Settings()), sandboxtest.Options{
			Name: Name, Leftovers: left, Essential: true, Enforced: sandboxtest.Groups{}.Enforced(), Measures: true,
		})
	})
	t.Run("auto", func(t *testing.T) {
		m := sshtest.New(t, sshtest.Options{Within: delegated(t, groups)})
		sandboxtest.Run(t, sandboxtest.Plugin(Name, m.Settings("limits=auto")),
			sandboxtest.Options{Name: Name, Leftovers: left, Enforced: groups.Enforced(), Measures: true})
	})
	t.Run("cgroup", func(t *testing.T) {
		m := sshtest.New(t, sshtest.Options{})
		sandbox, cfg := sandboxtest.Open(t, Name, m.Settings("limits=cgroup"))
		r, err := sandbox.Check(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if offered := os.Getuid() != 0 && groups.Version != 0; r.Ready != offered ||
			!offered && !strings.Contains(r.Reason, "no cgroup to hold limits with") {
			t.Errorf("ready %v for a user who was given no control group: %s", r.Ready, r.Reason)
		}
	})
}

// delegated makes cgroups that the remote user owns and returns those of its sessions. Version 1
// has one per hierarchy; in version 2 it is a child, beside processes without limits. It makes none
// where that's impossible, or if the remote user is this one.
func delegated(t *testing.T, groups sandboxtest.Groups) (dirs []string) {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	if groups.Version == 2 {
		return []string{give(t, give(t, groups.Bases["memory"]))}
	}
	for _, base := range groups.Bases {
		dirs = append(dirs, give(t, base))
	}
	return dirs
}

// give makes a cgroup of the remote user's, until the end of the test.
func give(t *testing.T, base string) string {
	t.Helper()
	dir, err := os.MkdirTemp(base, "airlock-test-ssh-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for range 100 {
			if os.Remove(dir) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("%s can't be removed", dir)
	})
	err = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chown(path, sshtest.TestUID, sshtest.TestUID)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// left lists an instance's remaining box cgroups. After a plugin's crash the other side needs a
// moment.
func left(instance string) []string {
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		var found []string
		_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && strings.HasPrefix(d.Name(), "airlock."+instance+".") {
				found = append(found, path)
			}
			return nil
		})
		if len(found) == 0 || time.Now().After(deadline) {
			return found
		}
	}
}

// far is a machine's backend that has measured every box and runs none.
type far struct{ used plugins.Usage }

func (far) Check(context.Context, plugins.Config) (plugins.Report, error) {
	return plugins.Report{}, nil
}

func (far) Run(context.Context, plugins.Spec, io.Reader, io.Writer) (plugins.Exit, error) {
	return plugins.Exit{}, nil
}

func (f far) Usage(context.Context, string) (plugins.Usage, error) { return f.used, nil }

func TestUsageDoesNotWaitForACheck(t *testing.T) {
	want := plugins.Usage{PeakMemory: 7, CPUTime: time.Second}
	near, other := net.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = plugins.ServeConn(context.Background(), other, far{want})
	}()
	over, err := plugins.NewLink(near)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		over.Close()
		near.Close()
		<-served
	}()
	b := New()
	b.link.Store(&link{Link: over})
	if err := b.enter(t.Context()); err != nil { // as a Check does, until it returns
		t.Fatal(err)
	}
	defer b.leave()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got, err := b.Usage(ctx, "a")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
