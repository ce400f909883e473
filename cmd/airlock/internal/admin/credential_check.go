package admin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// errTestFailed ends the credential test after it printed the outcome.
var errTestFailed = errors.New("nothing shows that the credential works there")

// testCredential is airlock admin credential test.
func (o *operator) testCredential(ctx context.Context, a cli.Args) error {
	if c, err := o.Access.Credentials.ByName(ctx, a.Rest[0]); err == nil && c.Source == app.SourceVault &&
		!o.Access.Vault.IsConfigured() {
		return cli.UsageError{Message: noVaultHere}
	}
	out, err := instance.OpenNetwork(ctx, o.cfg, o.Instance, netip.AddrPort{})
	if err != nil {
		return err
	}
	result, err := out.Tester(o.Instance, true).TestCredential(ctx, o.by, testrequest.Request{
		Name: a.Rest[0], Host: a.Text("host"), Path: cmp.Or(a.Text("path"), "/"), Private: a.On("private"),
		As: testrequest.Placement{Header: a.Text("header"), Basic: a.IsGiven("basic"), User: a.Text("basic")},
	})
	if err != nil {
		return err
	}
	o.showTest(result)
	fmt.Fprintln(o.Err, "This command has its own environment: the server may have other AIRLOCK_EXTRA_CA and "+
		"AIRLOCK_LOCAL_SERVICES. The outcome is in the audit log, and is not kept with the credential; the Test button "+
		"does that.")
	if !result.Proved {
		return errTestFailed
	}
	return nil
}

func (o *operator) showTest(r testrequest.Result) {
	fmt.Fprintf(o.Out, "request  GET %s\n", r.URL)
	if r.Swapped {
		fmt.Fprintln(o.Out, "value    put in on the way out")
	} else {
		fmt.Fprintln(o.Out, "value    not put in; nothing of it left Airlock")
	}
	if r.Status != 0 {
		fmt.Fprintf(o.Out, "answer   status %d\n", r.Status)
	}
	fmt.Fprintf(o.Out, "time     %d ms\n", r.Took.Milliseconds())
	fmt.Fprintf(o.Out, "verdict  %s\n", r.Verdict())
	if r.Problem != "" || !r.Proved {
		fmt.Fprintf(o.Out, "problem  %s\n", strings.TrimSpace(r.Problem+" "+r.Hint))
	}
}
