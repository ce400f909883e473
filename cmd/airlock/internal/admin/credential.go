package admin

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/redact/fields"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

func (o *operator) setCredential(ctx context.Context, a cli.Args) error {
	in, err := credentialInput(a)
	if err != nil {
		return err
	}
	before, err := o.Access.Credentials.ByName(ctx, in.Name)
	if err != nil && app.CodeOf(err) != app.CodeNotFound {
		return err
	}
	inVault := in.Reference != "" || before.Source == app.SourceVault && in.Source == ""
	if !a.On("no-value") {
		if in.Value, err = readValue(o.In, in.Name, inVault); err != nil {
			return err
		}
	}
	if in.Reference != "" && !o.Access.Vault.IsConfigured() {
		return cli.UsageError{Message: noVaultHere}
	}
	given, err := o.describeGivenAway(ctx, before, in)
	if err != nil {
		return err
	}
	if given != "" && !a.On("yes") {
		return cli.UsageError{Message: given + " If you mean it, add --yes"}
	}
	c, err := o.Access.Credentials.Set(ctx, o.by, in)
	if err != nil {
		return err
	}
	return o.tellSet(ctx, before, c, in.Value)
}

func credentialInput(a cli.Args) (in credentials.Input, err error) {
	in.Name, in.Reference = a.Rest[0], a.Text("vault")
	if a.IsGiven("description") {
		in.Description = new(a.Text("description"))
	}
	if a.On("local") {
		in.Source = app.SourceLocal
	}
	if a.IsGiven("mode") {
		if in.Mode, err = app.ParseMode(a.Text("mode")); err != nil {
			return in, err
		}
	}
	if in.Hosts, err = parseHosts(a.List("host"), nil); err != nil {
		return in, err
	}
	for _, text := range a.List("place") {
		place, err := app.ParsePlace(text)
		if err != nil {
			return in, err
		}
		in.Places = append(in.Places, place)
	}
	if a.IsGiven("header") {
		in.Headers = slices.DeleteFunc(a.List("header"), func(name string) bool { return name == "" })
	}
	if a.IsGiven("plain-http") {
		plain := a.On("plain-http")
		in.PlainHTTP = &plain
	}
	return in, nil
}

// describeGivenAway says what a change gives to scripts of existing profiles, or erases; "" for
// nothing.
func (o *operator) describeGivenAway(ctx context.Context, before app.Credential, in credentials.Input) (string, error) {
	if gives := credentials.ModeGives(before.Mode, in.Mode); before.Profiles > 0 && gives != "" {
		return fmt.Sprintf("%s keys linked to %s, which is %s, and %s.", profilesHave(before.Profiles), before.Name,
			before.Mode, gives), nil
	}
	if in.Reference != "" && before.Source == app.SourceLocal && before.HasValue() {
		return "The value of " + before.Name + " that Airlock holds is erased for good when it comes from Vault.", nil
	}
	if before.ID == "" || in.Value.Empty() {
		return "", nil
	}
	before.Mode = cmp.Or(in.Mode, before.Mode)
	return o.Access.Policies.DescribeReached(ctx, before, in.Value)
}

// tellSet prints what was set, its warnings, and the profiles concerned.
func (o *operator) tellSet(ctx context.Context, before, c app.Credential, value app.Secret) error {
	fmt.Fprintf(o.Err, "credential %s is set (mode %s, %s)\n", c.Name, c.Mode, valueOf(c))
	if c.Mode == app.ModeInjected {
		fmt.Fprintln(o.Err, "scripts of its profiles get the value itself")
	}
	for _, warning := range append(app.ValueWarnings(c.Mode, value), app.HostWarnings(c.Hosts)...) {
		fmt.Fprintln(o.Err, "warning: "+warning)
	}
	if parts := fields.Explain(value); parts != "" && c.Mode != app.ModePlain {
		fmt.Fprintln(o.Err, parts)
	}
	if before.IsSearched() && c.Version > before.Version {
		fmt.Fprintln(o.Err, credentials.DescribeReplacement(before, o.cfg.Retention.Superseded))
	}
	if before.Profiles > 0 {
		used, err := o.countUsers(ctx, c)
		if err != nil {
			return err
		}
		fmt.Fprintln(o.Err, "Used by "+used+". "+credentials.ChangesCount)
	}
	if c.Source != app.SourceVault {
		return nil
	}
	resolves, err := o.resolves(ctx, c)
	fmt.Fprintf(o.Err, "%s resolves: %s\n", c.Reference, resolves)
	return err
}

// noVaultHere is for a command that lacks variables which the server may have.
const noVaultHere = "this command's environment has no VAULT_ADDR, so it can't ask Vault; run it with the VAULT_* " +
	"variables of the server"

// resolves says whether a credential's reference into Vault leads to a value now.
func (o *operator) resolves(ctx context.Context, c app.Credential) (string, error) {
	if !o.Access.Vault.IsConfigured() {
		return "unknown: " + noVaultHere, nil
	}
	in, err := o.Access.Vault.Inspect(ctx, o.by, c)
	switch {
	case err != nil:
		return "unknown", err
	case in.Problem != "":
		return "no: " + in.Problem + ". " + in.Hint, nil
	case in.Lease:
		return "made for each execution by the engine " + in.Engine, nil
	case in.Version > 0:
		return fmt.Sprintf("yes, version %d", in.Version), nil
	}
	return "yes", nil
}

// countUsers counts the profiles that use a credential.
func (o *operator) countUsers(ctx context.Context, c app.Credential) (string, error) {
	all, err := o.Access.Profiles.List(ctx)
	return credentials.DescribeLocked(app.ProfilesWith(all, c.ID), time.Now()), err
}

func profilesHave(n int) string {
	if n == 1 {
		return "1 profile has"
	}
	return fmt.Sprintf("%d profiles have", n)
}

// showCredential prints all about one but its value.
func (o *operator) showCredential(ctx context.Context, a cli.Args) error {
	c, err := o.Access.Credentials.ByName(ctx, a.Rest[0])
	if err != nil {
		return err
	}
	used, err := o.countUsers(ctx, c)
	if err != nil {
		return err
	}
	w := cli.Table(o.Out, "name", c.Name)
	w.Row("description", c.Description)
	w.Row("mode", string(c.Mode))
	w.Row("hosts", app.BriefHosts(c.Hosts))
	if c.Mode == app.ModeSealed {
		w.Row("put into", sealedPlaces(c))
		headers := "usual"
		if a.On("headers") || len(c.Headers) > 0 {
			headers = strings.Join(app.SealedHeaders(c.Headers), ", ")
		}
		w.Row("headers", headers)
	}
	w.Row("value", valueOf(c))
	if c.Source == app.SourceVault {
		resolves, err := o.resolves(ctx, c)
		if err != nil {
			return err
		}
		w.Row("resolves", resolves)
	} else {
		w.Row("set", cli.Stamp(c.ValueSetAt))
	}
	w.Row("used by", used)
	w.Row("uses", fmt.Sprint(c.Uses))
	w.Row("last used", cli.Stamp(c.LastUsedAt))
	if !c.CheckedAt.IsZero() {
		w.Row("tested", cli.Stamp(c.CheckedAt)+" "+testedAs(c))
	}
	return w.Flush()
}

func testedAs(c app.Credential) string {
	switch {
	case c.CheckError != "":
		return c.CheckError
	case c.CheckProved:
		return "worked"
	}
	return "reached the host; nothing was proved"
}

func sealedPlaces(c app.Credential) string {
	text := c.PlaceNames()
	if c.PlainHTTP {
		text += "; also over plain HTTP"
	}
	return text
}

func valueOf(c app.Credential) string {
	if !c.HasValue() {
		return "missing"
	}
	if c.Source == app.SourceVault {
		return "vault " + c.Reference
	}
	return fmt.Sprintf("version %d", c.Version)
}

// readValue reads a credential's value to the end of stdin, as app.TypedValue has it. One that
// comes from Vault takes none, and doesn't wait for a terminal.
func readValue(in io.Reader, name string, inVault bool) (value app.Secret, err error) {
	if !inVault || !cli.IsTerminal(in) {
		data, err := io.ReadAll(io.LimitReader(in, app.MaxValue+3))
		if err != nil {
			return value, fmt.Errorf("read the value from stdin: %w", err)
		}
		value = app.TypedValue(string(data))
	}
	switch {
	case inVault && !value.Empty():
		return value, cli.UsageError{Message: "a value came on stdin, but the value of " + name + " comes from Vault; " +
			"nothing was changed. Change it in Vault, or keep the value in Airlock instead with --local; --no-value leaves " +
			"stdin alone"}
	case !inVault && value.Empty():
		return value, cli.UsageError{Message: "no value came on stdin; write: printf %s VALUE | airlock admin " +
			"credential set NAME, or use --no-value"}
	}
	return value, nil
}

func (o *operator) listCredentials(ctx context.Context, _ cli.Args) error {
	list, err := o.Access.Credentials.List(ctx)
	if err != nil {
		return err
	}
	return table(o, list, func(c app.Credential) []string {
		places := ""
		if c.Mode == app.ModeSealed {
			places = sealedPlaces(c)
		}
		return []string{c.Name, string(c.Mode), valueOf(c), app.BriefHosts(c.Hosts), places, fmt.Sprint(c.Profiles),
			cli.Stamp(c.ValueSetAt), c.Description}
	}, "NAME", "MODE", "VALUE", "HOSTS", "PLACES", "PROFILES", "SET", "DESCRIPTION")
}

func (o *operator) deleteCredential(ctx context.Context, a cli.Args) error {
	c, err := o.Access.Credentials.ByName(ctx, a.Rest[0])
	if err != nil {
		return err
	}
	if c.Profiles == 0 && c.IsSearched() && !a.On("yes") { // in use it stays, whatever is typed
		return cli.UsageError{Message: strings.Join(credentials.DescribeDeletion(c), " ") + " Then add --yes"}
	}
	return o.Access.Credentials.Delete(ctx, o.by, c.Name)
}
