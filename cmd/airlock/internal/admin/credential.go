package admin

import (
	"context"
	"errors"
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

func (o *operator) setCredential(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin credential set", Usage)
	settings := newCredentialFlags(f)
	description, noValue := f.String("description", "", ""), f.Bool("no-value", false, "")
	local, yes := f.Bool("local", false, ""), f.Bool("yes", false, "")
	rest, err := o.Parse(ctx, f, args, "NAME")
	if err != nil {
		return err
	}
	in, err := settings.input()
	if err != nil {
		return err
	}
	in.Name, in.Description = rest[0], *description
	before, absent := o.Access.Credentials.ByName(ctx, in.Name)
	switch {
	case absent == nil && !cli.Given(f, "description"):
		in.Description = app.VisibleText(before.Description) // older than CheckText, maybe
	case absent != nil && app.CodeOf(absent) != app.CodeNotFound:
		return absent
	}
	if err := confirmMode(before, in.Mode, *yes); err != nil {
		return err
	}
	if *local {
		in.Source = app.SourceLocal
	}
	inVault := in.Reference != "" || before.Source == app.SourceVault && !*local
	switch {
	case *noValue:
	case inVault:
		err = o.refuseValue(in.Name)
	default:
		in.Value, err = readValue(o.In)
	}
	if err != nil {
		return err
	}
	if err := o.confirmVault(ctx, before, in, *yes); err != nil {
		return err
	}
	if err := o.confirmHost(ctx, before, in, *yes); err != nil {
		return err
	}
	c, err := o.Access.Credentials.Set(ctx, o.by, in)
	if err != nil {
		return withFlags(err)
	}
	return o.tellSet(ctx, before, c, in.Value)
}

type credentialFlags struct {
	all                    *cli.Flags
	mode, reference        *string
	hosts, places, headers *[]string
	plainHTTP              *bool
}

func newCredentialFlags(f *cli.Flags) credentialFlags {
	return credentialFlags{
		all: f, mode: f.String("mode", "", ""), reference: f.String("vault", "", ""),
		hosts: f.List("host"), places: f.List("place"), headers: f.List("header"),
		plainHTTP: f.Bool("plain-http", false, ""),
	}
}

// input reads the flags, once they are parsed.
func (g credentialFlags) input() (in credentials.Input, err error) {
	in.Reference = *g.reference
	if *g.mode != "" {
		if in.Mode, err = app.ParseMode(*g.mode); err != nil {
			return in, err
		}
	}
	if in.Hosts, err = parseHosts(*g.hosts, false); err != nil {
		return in, err
	}
	for _, text := range *g.places {
		place, err := app.ParsePlace(text)
		if err != nil {
			return in, err
		}
		in.Places = append(in.Places, place)
	}
	if cli.Given(g.all, "header") {
		in.Headers = slices.DeleteFunc(*g.headers, func(name string) bool { return name == "" })
	}
	if cli.Given(g.all, "plain-http") {
		in.PlainHTTP = g.plainHTTP
	}
	return in, nil
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
	if before.Searched() && c.Version > before.Version {
		fmt.Fprintln(o.Err, credentials.Replaced(before, o.cfg.Retention.Superseded))
	}
	if before.Profiles > 0 {
		used, err := o.usedBy(ctx, c)
		if err != nil {
			return err
		}
		fmt.Fprintln(o.Err, "Used by "+used+". "+credentials.ChangesCount)
	}
	return o.warnOfVault(ctx, before, c)
}

// usedBy counts the profiles that use a credential.
func (o *operator) usedBy(ctx context.Context, c app.Credential) (string, error) {
	all, err := o.Access.Profiles.List(ctx)
	return credentials.LockedAmong(app.ProfilesWith(all, c.ID), time.Now()), err
}

// withFlags rewords a refused credential's next step for this command.
func withFlags(err error) error {
	known := &app.Error{}
	if !errors.As(err, &known) {
		return err
	}
	words := strings.NewReplacer("Choose injected", "Use --mode injected", "choose injected", "use --mode injected",
		"and plain if", "and --mode plain if",
		"Name its hosts, such as api.example.com:", "Name each of its hosts, such as --host api.example.com:",
		"Name the hosts that its value may go to", "Name with --host where its value may go",
		"Name one host, such as", "Name one host with each flag, such as")
	said := *known
	said.Hint = words.Replace(known.Hint)
	return &said
}

// confirmMode asks for --yes before scripts of existing profiles get more rights.
func confirmMode(before app.Credential, mode app.Mode, yes bool) error {
	gives := credentials.ModeGives(before.Mode, mode)
	if yes || before.Profiles == 0 || gives == "" {
		return nil
	}
	return cli.UsageError{Message: fmt.Sprintf("%s keys linked to %s, which is %s, and %s. If you mean it, add --yes",
		profilesHave(before.Profiles), before.Name, before.Mode, gives)}
}

// confirmHost asks for --yes before a plain value moves locked profiles to another host.
func (o *operator) confirmHost(ctx context.Context, before app.Credential, in credentials.Input, yes bool) error {
	if yes || before.ID == "" || in.Value.Empty() {
		return nil
	}
	if in.Mode != "" {
		before.Mode = in.Mode
	}
	said, err := o.Access.Policies.ReachedThrough(ctx, before, in.Value)
	if err != nil || said == "" {
		return err
	}
	return cli.UsageError{Message: said + " If you mean it, add --yes"}
}

func profilesHave(n int) string {
	if n == 1 {
		return "1 profile has"
	}
	return fmt.Sprintf("%d profiles have", n)
}

// showCredential prints all about one but its value.
func (o *operator) showCredential(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin credential show", Usage)
	all := f.Bool("headers", false, "")
	rest, err := o.Parse(ctx, f, args, "NAME")
	if err != nil {
		return err
	}
	c, err := o.Access.Credentials.ByName(ctx, rest[0])
	if err != nil {
		return err
	}
	used, err := o.usedBy(ctx, c)
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
		if *all || len(c.Headers) > 0 {
			headers = strings.Join(app.SealedHeaders(c.Headers), ", ")
		}
		w.Row("headers", headers)
	}
	w.Row("value", valueOf(c))
	if err := o.showInVault(ctx, w, c); err != nil {
		return err
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

// readValue reads a credential's value to the end of stdin, as app.TypedValue has it.
func readValue(in io.Reader) (app.Secret, error) {
	data, err := io.ReadAll(io.LimitReader(in, app.MaxValue+3))
	if err != nil {
		return app.Secret{}, fmt.Errorf("read the value from stdin: %w", err)
	}
	value := app.TypedValue(string(data))
	if value.Empty() {
		return app.Secret{}, cli.UsageError{Message: "no value came on stdin; write: printf %s VALUE | airlock admin " +
			"credential set NAME, or use --no-value"}
	}
	return value, nil
}

func (o *operator) listCredentials(ctx context.Context, _ []string) error {
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

func (o *operator) deleteCredential(ctx context.Context, args []string) error {
	f := cli.NewFlags("admin credential delete", Usage)
	yes := f.Bool("yes", false, "")
	rest, err := o.Parse(ctx, f, args, "NAME")
	if err != nil {
		return err
	}
	c, err := o.Access.Credentials.ByName(ctx, rest[0])
	if err != nil {
		return err
	}
	if c.Profiles == 0 && c.Searched() && !*yes { // in use it stays, whatever is typed
		return cli.UsageError{Message: strings.Join(credentials.Deleted(c), " ") + " Then add --yes"}
	}
	return o.Access.Credentials.Delete(ctx, o.by, c.Name)
}

func parseHosts(list []string, private bool) ([]app.Host, error) {
	var hosts []app.Host
	for _, text := range list {
		h, err := app.ParseHost(text)
		if err != nil {
			return nil, withFlags(err)
		}
		h.Private = private
		hosts = append(hosts, h)
	}
	return hosts, nil
}
