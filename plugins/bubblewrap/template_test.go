package bubblewrap

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/procfs"
	"github.com/computclaw/airlock/plugins/sandboxtest"
)

// forking returns a backend whose templates make renew boxes each.
func forking(t *testing.T, renew int) (*Backend, *host) {
	t.Helper()
	needTemplates(t, sandboxtest.FindGroups(t))
	b := New(WithGuest(sandboxtest.Guest(t)))
	r, err := b.Check(t.Context(), plugins.Config{Instance: "test-template",
		Settings: map[string]string{"box": boxTemplate}})
	if err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	h, err := b.ready.Host(Name)
	if err != nil {
		t.Fatal(err)
	}
	if h.templates == nil || !r.Templates {
		t.Fatalf("boxes are opened afresh: %+v", r.Controls)
	}
	h.templates.retire()
	h.templates = b.newTemplates(h)
	h.templates.renew = renew
	t.Cleanup(func() { h.templates.retire() })
	return b, h
}

// echo runs a box that repeats its input, and calls while during its life.
func echo(t *testing.T, b *Backend, id string, while func()) {
	t.Helper()
	in, feed := io.Pipe()
	var out bytes.Buffer
	first := firstByte{make(chan time.Time, 1)}
	done := make(chan error, 1)
	go func() {
		_, err := b.Run(t.Context(), plugins.Spec{ID: id}, in, io.MultiWriter(&out, first))
		done <- err
	}()
	_, _ = io.WriteString(feed, "{\"echo\":true}\nhello")
	select {
	case <-first.at:
		while()
	case err := <-done:
		t.Fatalf("box %s ended: %v", id, err)
	}
	feed.Close()
	if err := <-done; err != nil || out.String() != "hello" {
		t.Fatalf("box %s: %q, %v", id, out.String(), err)
	}
}

func TestATemplateIsStartedAnewAfterSoManyBoxes(t *testing.T) {
	b, h := forking(t, 2)
	inUse := func() int { return h.templates.current.process.cmd.Process.Pid }
	echo(t, b, "a", func() {
		first := inUse()
		echo(t, b, "b", func() {})
		echo(t, b, "c", func() {
			if inUse() == first {
				t.Error("a third box came from a template for two")
			}
			if unix.Kill(first, 0) != nil {
				t.Error("a template ended before its last box")
			}
		})
		t.Cleanup(func() {
			if unix.Kill(first, 0) == nil {
				t.Error("a template outlives its last box")
			}
		})
	})
}

func TestHoleWaitingBoxesFillNoTemplate(t *testing.T) {
	b, h := forking(t, renewAfter)
	if want := mostAtOnce(); int64(h.templates.most) != want || want < 64 {
		t.Errorf("a template has %d boxes open, want %d", h.templates.most, want)
	}
	h.templates.most = 2
	inUse := func() *template { return h.templates.current }
	echo(t, b, "a", func() {
		first := inUse()
		echo(t, b, "b", func() {
			echo(t, b, "c", func() {
				if inUse() == first {
					t.Error("a third box is open in a template for two")
				}
			})
		})
	})
}

func TestABoxIsOpenedAfreshWhenItsTemplateDied(t *testing.T) {
	b, h := forking(t, renewAfter)
	echo(t, b, "a", func() {})
	dead := h.templates.current
	killTree(t, dead.process.cmd.Process.Pid)
	fresh := func() {
		if h.templates.current != nil {
			t.Error("the box came from a template")
		}
	}
	echo(t, b, "b", fresh)
	echo(t, b, "c", fresh)
	if h.templates.failure() == nil {
		t.Error("nobody was told")
	}
	h.templates.mu.Lock()
	h.templates.rest = time.Time{}
	h.templates.mu.Unlock()
	echo(t, b, "d", func() {
		if now := h.templates.current; now == nil || now == dead {
			t.Error("no other template was started")
		}
	})
}

func killTree(t *testing.T, root int) {
	t.Helper()
	var ends []unix.PollFd
	for _, p := range procfs.Tree(root) {
		if fd, err := unix.PidfdOpen(p.PID, 0); err == nil {
			defer unix.Close(fd)
			ends = append(ends, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		}
	}
	_ = unix.Kill(root, unix.SIGKILL)
	for i := range ends {
		for err := error(unix.EINTR); err == unix.EINTR; {
			_, err = unix.Poll(ends[i:i+1], -1)
		}
	}
}

func TestHostsWithoutControlGroupsOpenBoxesAfresh(t *testing.T) {
	b := New(WithGuest(sandboxtest.Guest(t)))
	r, err := b.Check(t.Context(), plugins.Config{Instance: "test-template",
		Settings: map[string]string{"box": boxTemplate, "limits": limitsPolled}})
	if err != nil || !r.Ready {
		t.Fatalf("%v, %+v", err, r)
	}
	last := r.Controls[len(r.Controls)-1]
	if r.Templates || last.Proved || !last.NotApplicable || !strings.Contains(last.Detail, "boxes are opened afresh: ") {
		t.Errorf("%+v", last)
	}
	echo(t, b, "a", func() {})
}

// TestHoleM4ACheckThatIsCutShortLeavesNoTemplate: it ends in any of the check's boxes.
func TestHoleM4ACheckThatIsCutShortLeavesNoTemplate(t *testing.T) {
	needTemplates(t, sandboxtest.FindGroups(t))
	for _, where := range []string{"template-1", "_probe", "_probe-forked", "_limits", "_limits-forked", "_runtime"} {
		t.Run(where, func(t *testing.T) {
			instance := "test-cut-" + strings.ReplaceAll(where, "_", "")
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				defer cancel()
				there := func(group string) bool { return strings.HasSuffix(group, "."+where) }
				for ctx.Err() == nil && !slices.ContainsFunc(cgroupsOf(instance), there) {
				}
			}()
			b := New(WithGuest(sandboxtest.Guest(t)))
			defer b.Close()
			r, err := b.Check(ctx, plugins.Config{Instance: instance, Settings: map[string]string{"box": boxTemplate}})
			if err == nil && r.Ready {
				t.Fatal("the check was not cut short")
			}
			if left := cgroupsOf(instance); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestHoleChecksAtOnceLeftATemplate(t *testing.T) {
	needTemplates(t, sandboxtest.FindGroups(t))
	const instance = "test-at-once"
	b := New(WithGuest(sandboxtest.Guest(t)))
	defer b.Close()
	var checks sync.WaitGroup
	for range 2 {
		checks.Go(func() {
			_, err := b.Check(t.Context(), plugins.Config{Instance: instance, Settings: map[string]string{"box": boxTemplate}})
			if err != nil {
				t.Error(err)
			}
		})
	}
	checks.Wait()
	left := map[string]bool{} // one name in several hierarchies
	for _, group := range cgroupsOf(instance) {
		left[filepath.Base(group)] = true
	}
	if len(left) != 1 {
		t.Errorf("want one template: %v", left)
	}
}
