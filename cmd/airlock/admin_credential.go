package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
)

func (o *operator) setCredential(ctx context.Context, args []string) error {
	f := newFlags("admin credential set", adminUsage)
	mode, description, noValue := f.String("mode", "", ""), f.String("description", "", ""), f.Bool("no-value", false, "")
	hosts := f.list("host")
	rest, err := o.parse(ctx, f, args, "NAME")
	if err != nil {
		return err
	}
	in := access.CredentialInput{Name: rest[0], Description: *description}
	if *mode != "" {
		if in.Mode, err = app.ParseMode(*mode); err != nil {
			return err
		}
	}
	if in.Hosts, err = parseHosts(*hosts, false); err != nil {
		return err
	}
	before, err := o.access.Credential(ctx, in.Name)
	switch {
	case err == nil && !given(f, "description"):
		in.Description = before.Description
	case err != nil && app.CodeOf(err) != app.CodeNotFound:
		return err
	}
	if !*noValue {
		if in.Value, err = readValue(o.in); err != nil {
			return err
		}
	}
	c, err := o.access.SetCredential(ctx, o.by, in)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.err, "credential %s is set (mode %s, version %d)\n", c.Name, c.Mode, c.Version)
	return nil
}

// given reports whether a flag was typed.
func given(f *flags, name string) bool {
	found := false
	f.Visit(func(fl *flag.Flag) { found = found || fl.Name == name })
	return found
}

// readValue reads a credential's value to the end of stdin. One line break at the end, which echo and editors add, is not part of it.
func readValue(in io.Reader) (app.Secret, error) {
	data, err := io.ReadAll(io.LimitReader(in, app.MaxValue+3))
	if err != nil {
		return app.Secret{}, fmt.Errorf("read the value from stdin: %w", err)
	}
	text := strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r")
	if text == "" {
		return app.Secret{}, usageError{"no value came on stdin; write: printf %s VALUE | airlock admin credential set NAME, or use --no-value"}
	}
	return app.NewSecret(text), nil
}

func (o *operator) listCredentials(ctx context.Context, args []string) error {
	if _, err := o.parse(ctx, newFlags("admin credential list", adminUsage), args); err != nil {
		return err
	}
	list, err := o.access.Credentials(ctx)
	if err != nil {
		return err
	}
	w := table(o.out, "NAME", "MODE", "VALUE", "HOSTS", "PROFILES", "SET", "DESCRIPTION")
	for _, c := range list {
		value := "missing"
		if c.HasValue() {
			value = fmt.Sprintf("version %d", c.Version)
		}
		w.row(c.Name, string(c.Mode), value, hostNames(c.Hosts), fmt.Sprint(c.Profiles), stamp(c.ValueSetAt), c.Description)
	}
	return w.flush()
}

func (o *operator) deleteCredential(ctx context.Context, args []string) error {
	rest, err := o.parse(ctx, newFlags("admin credential delete", adminUsage), args, "NAME")
	if err != nil {
		return err
	}
	return o.access.DeleteCredential(ctx, o.by, rest[0])
}

func parseHosts(list []string, private bool) ([]app.Host, error) {
	var hosts []app.Host
	for _, text := range list {
		h, err := app.ParseHost(text)
		if err != nil {
			return nil, err
		}
		h.Private = private
		hosts = append(hosts, h)
	}
	return hosts, nil
}

func hostNames(hosts []app.Host) string {
	names := make([]string, len(hosts))
	for i, h := range hosts {
		names[i] = h.String()
		if h.Private {
			names[i] += " (private)"
		}
	}
	return strings.Join(names, ", ")
}
