package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/computclaw/airlock/plugins"
)

// Check implements plugins.Sandbox. It connects, uploads missing programs, sweeps a former remote
// program's leftovers, and proves every control in real boxes over there. It keeps a live link of
// the same settings with its boxes; boxes of other settings end.
func (b *Backend) Check(ctx context.Context, cfg plugins.Config) (plugins.Report, error) {
	if err := b.enter(ctx); err != nil {
		return plugins.Report{}, err
	}
	defer b.leave()
	before := b.link.Load()
	unready := func(err error) (plugins.Report, error) {
		cutShort := ctx.Err() != nil // so it says nothing about the machine, and a link that lived before stays in use
		if !cutShort || b.link.Load() != before {
			b.drop()
		}
		if !cutShort {
			b.cfg, b.backoff = nil, plugins.Backoff{}
		}
		return plugins.Report{Name: Name, Version: "not connected", Tier: plugins.TierNone, Reason: err.Error()},
			ctx.Err()
	}
	t, rest, err := parseSettings(cfg.Settings)
	if err != nil {
		return unready(err)
	}
	if len(t.hostKeys) == 0 {
		return unready(showHostKey(ctx, t))
	}
	far := plugins.Config{Instance: cfg.Instance, Settings: rest, Limits: cfg.Limits}
	report, err := b.recheck(ctx, t, far)
	if err != nil {
		return unready(err)
	}
	report = b.translateReport(report, t)
	if !report.Ready {
		b.drop()
		b.cfg = nil
		return report, nil
	}
	b.target, b.cfg, b.promised, b.backoff = t, &far, report, plugins.Backoff{}
	return report, nil
}

// showHostKey is the first contact. It always ends in an error, which shows the host key.
func showHostKey(ctx context.Context, t target) error {
	client, release, err := dial(ctx, t)
	if err == nil { // can't be: there is no key that would be accepted
		release()
		_ = client.Close()
		err = errHostKey
	}
	return err
}

// recheck uses the live link if machine and settings are the same. Otherwise, or if that link
// breaks, it makes a new one.
func (b *Backend) recheck(ctx context.Context, t target, far plugins.Config) (plugins.Report, error) {
	if l := b.link.Load(); l != nil && l.lossError() == nil && b.cfg != nil && b.cfg.Instance == far.Instance &&
		isSame(t, b.target) && maps.Equal(far.Settings, b.cfg.Settings) {
		report, err := l.Check(ctx, far)
		if !errors.Is(err, plugins.ErrLost) || ctx.Err() != nil {
			return report, err
		}
	}
	b.drop()
	return b.establish(ctx, t, far)
}

func isSame(a, b target) bool {
	equal := func(x, y ssh.PublicKey) bool { return bytes.Equal(x.Marshal(), y.Marshal()) }
	return a.address == b.address && a.user == b.user && a.dir == b.dir &&
		equal(a.signer.PublicKey(), b.signer.PublicKey()) && slices.EqualFunc(a.hostKeys, b.hostKeys, equal)
}

// translateReport turns what the other side reports about itself into our report.
func (b *Backend) translateReport(r plugins.Report, t target) plugins.Report {
	h := b.link.Load().hello
	r.Version = strings.TrimSpace(fmt.Sprintf("%s on %s (%s, %s)", r.Version, t.address, h.System, h.Arch))
	r.Name = Name
	if r.Reason != "" {
		r.Reason = fmt.Sprintf("on %s: %s", t, r.Reason)
	}
	return r
}
