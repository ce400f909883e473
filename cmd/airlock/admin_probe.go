package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/probe"
)

// errTestFailed ends airlock admin credential test after the outcome was printed.
var errTestFailed = errors.New("the credential does not work there")

// testCredential is airlock admin credential test.
func (o *operator) testCredential(ctx context.Context, args []string) error {
	f := newFlags("admin credential test", adminUsage)
	host, path, private := f.String("host", "", ""), f.String("path", "/", ""), f.Bool("private", false, "")
	header, user := f.String("header", "", ""), f.String("basic", "", "")
	rest, err := o.parse(ctx, f, args, "NAME")
	if err != nil {
		return err
	}
	if c, err := o.access.Credential(ctx, rest[0]); err == nil && c.Source == app.SourceVault && !o.access.HasVault() {
		return usageError{message: noVaultHere}
	}
	cfg, err := loadConfig(o.env)
	if err != nil {
		return err
	}
	out, err := openOutside(ctx, cfg, o.instance, netip.AddrPort{})
	if err != nil {
		return err
	}
	result, err := out.prober(o.instance, true).Credential(ctx, o.by, probe.Request{
		Name: rest[0], Host: *host, Path: *path, Private: *private, As: probe.As{Header: *header, Basic: given(f, "basic"), User: *user},
	})
	if err != nil {
		return err
	}
	o.showTest(result)
	fmt.Fprintln(o.err, "This command has its own environment: the server may have other AIRLOCK_EXTRA_CA and AIRLOCK_LOCAL_SERVICES. The outcome is in the audit log, and is not kept with the credential; the Test button does that.")
	if !result.Works() {
		return errTestFailed
	}
	return nil
}

func (o *operator) showTest(r probe.Result) {
	fmt.Fprintf(o.out, "request  GET %s\n", r.URL)
	if r.Swapped {
		fmt.Fprintln(o.out, "value    put in on the way out")
	} else {
		fmt.Fprintln(o.out, "value    not put in; nothing of it left Airlock")
	}
	if r.Status != 0 {
		fmt.Fprintf(o.out, "answer   status %d\n", r.Status)
	}
	fmt.Fprintf(o.out, "time     %d ms\n", r.Took.Milliseconds())
	if r.Problem != "" {
		fmt.Fprintf(o.out, "problem  %s %s\n", r.Problem, r.Hint)
	}
}

// prober tests credentials on the way that scripts take; aside if these may be other settings than the server's.
func (o outside) prober(i *instance, aside bool) *probe.Prober {
	return probe.New(probe.Config{Access: i.access, Gateway: o.gateway, Authority: o.authority, Aside: aside})
}
