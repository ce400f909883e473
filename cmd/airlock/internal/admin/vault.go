package admin

import (
	"context"
	"fmt"
	"io"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// noVaultHere is for a command that lacks variables which the server may have.
const noVaultHere = "this command's environment has no VAULT_ADDR, so it can't ask Vault; run it with the VAULT_* " +
	"variables of the server"

// refuseValue refuses a value on stdin for a credential in Vault: it would be stored nowhere. It
// doesn't wait for a terminal.
func (o *operator) refuseValue(name string) error {
	if cli.IsTerminal(o.In) {
		return nil
	}
	n, err := io.ReadFull(o.In, make([]byte, 1))
	if n == 0 && err == io.EOF {
		return nil
	}
	if n == 0 {
		return fmt.Errorf("read stdin: %w", err)
	}
	return cli.UsageError{Message: "a value came on stdin, but the value of " + name +
		" comes from Vault; nothing was changed. Change it in Vault, or keep the value in Airlock instead with --local; " +
		"--no-value leaves stdin alone"}
}

// confirmVault asks for --yes before it erases a stored value that a profile has, or whose
// reference does not resolve.
func (o *operator) confirmVault(ctx context.Context, before app.Credential, in credentials.Input, yes bool) error {
	if in.Reference == "" {
		return nil
	}
	if !o.Access.Vault.Configured() {
		return cli.UsageError{Message: noVaultHere}
	}
	if yes || before.Source != app.SourceLocal || !before.HasValue() {
		return nil
	}
	erased := "Airlock holds a value of " + before.Name + ", which is erased for good when it comes from Vault"
	after := before
	if after.Source, after.Reference = app.SourceVault, in.Reference; in.Mode != "" {
		after.Mode = in.Mode
	}
	found, err := o.Access.Vault.Inspect(ctx, o.by, after)
	switch {
	case err != nil:
		return err
	case found.Problem != "":
		return cli.UsageError{Message: fmt.Sprintf("%s, and %s does not resolve: %s. %s If you mean it, add --yes", erased,
			in.Reference, found.Problem, found.Hint)}
	case before.Profiles > 0:
		return cli.UsageError{Message: fmt.Sprintf("%s, and %s keys linked to it. If you mean it, add --yes", erased,
			profilesHave(before.Profiles))}
	}
	return nil
}

// warnOfVault warns after a change: a value is gone, or a reference does not resolve.
func (o *operator) warnOfVault(ctx context.Context, before, c app.Credential) error {
	if c.Source != app.SourceVault || !o.Access.Vault.Configured() {
		return nil
	}
	if before.Source == app.SourceLocal && before.HasValue() {
		fmt.Fprintln(o.Err, "the value that Airlock held is erased")
	}
	found, err := o.Access.Vault.Inspect(ctx, o.by, c)
	if err == nil && found.Problem != "" {
		fmt.Fprintf(o.Err, "warning: %s does not resolve now: %s. %s\n", c.Reference, found.Problem, found.Hint)
	}
	return err
}

// showInVault adds when a value was set, and whether a Vault reference resolves now. It never shows
// the value.
func (o *operator) showInVault(ctx context.Context, w cli.Columns, c app.Credential) error {
	if c.Source != app.SourceVault {
		w.Row("set", cli.Stamp(c.ValueSetAt))
		return nil
	}
	if !o.Access.Vault.Configured() {
		w.Row("resolves", "unknown: "+noVaultHere)
		return nil
	}
	in, err := o.Access.Vault.Inspect(ctx, o.by, c)
	if err != nil {
		return err
	}
	switch {
	case in.Problem != "":
		w.Row("resolves", "no: "+in.Problem+". "+in.Hint)
	case in.Lease:
		w.Row("resolves", "made for each execution by the engine "+in.Engine)
	case in.Version > 0:
		w.Row("resolves", fmt.Sprintf("yes, version %d", in.Version))
		w.Row("set", cli.Stamp(in.Created))
	default:
		w.Row("resolves", "yes")
	}
	return nil
}
