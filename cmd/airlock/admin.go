package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"

	"github.com/computclaw/airlock/app"
)

const adminUsage = `Usage: airlock admin COMMAND

  token                                       make a new admin token; every login ends
  credential set NAME [flags] < VALUE         create or change a credential
      --mode sealed|injected|plain  --host HOST (repeatable)  --description TEXT
      --no-value                              don't read a value from stdin
  credential list
  credential delete NAME
  profile create [--description TEXT]         prints the profile id (ark_…)
      --key NAME[=CREDENTIAL] (repeatable)  --host HOST  --private-host HOST (repeatable)
  profile list
  profile show ID
  profile lock ID                             links each key to the credential of its name, or as --key says
      --key NAME[=CREDENTIAL]  --host HOST  --private-host HOST (repeatable)  --expires TIME
  profile expire ID TIME                      TIME: 2026-12-31, 2026-12-31T18:00:00Z, 30d, 12h or never
  profile revoke ID
  profile delete ID
  audit list
  audit verify                                walk the hash chain

Works on the data directory (AIRLOCK_DATA_DIR), also beside a running server. ID is a handle, as profile list shows it, or an ark_ id; arguments can be read by
other users of this host, so prefer the handle. A value is read from stdin to its end; one line break at the end is not part of it.
`

// operator carries one airlock admin command.
type operator struct {
	console
	*instance // nil until the command line is found to be right
	by        app.Actor
}

// parse reads a command's arguments as flags.parse does, and then opens the instance: neither help nor a wrong command needs one.
func (o *operator) parse(ctx context.Context, f *flags, args []string, want ...string) ([]string, error) {
	rest, err := f.parse(o.out, args, want...)
	if err != nil {
		return nil, err
	}
	cfg, err := loadConfig(o.env)
	if err != nil {
		return nil, err
	}
	if err := harden(); err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(o.err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o.instance, err = existingInstance(ctx, cfg, log)
	return rest, err
}

// admin is airlock admin.
func admin(ctx context.Context, c console, args []string) (err error) {
	o := &operator{console: c, by: app.Actor{Kind: app.ActorCommand, Name: userName()}}
	defer func() {
		if o.instance != nil {
			err = errors.Join(err, o.close())
		}
	}()
	return pick("admin", adminUsage, c.out, args, map[string]func([]string) error{
		"token": func(rest []string) error { return o.token(ctx, rest) },
		"credential": func(rest []string) error {
			return pick("admin credential", adminUsage, c.out, rest, map[string]func([]string) error{
				"set":    func(rest []string) error { return o.setCredential(ctx, rest) },
				"list":   func(rest []string) error { return o.listCredentials(ctx, rest) },
				"delete": func(rest []string) error { return o.deleteCredential(ctx, rest) },
			})
		},
		"profile": func(rest []string) error {
			return pick("admin profile", adminUsage, c.out, rest, o.profileCommands(ctx))
		},
		"audit": func(rest []string) error {
			return pick("admin audit", adminUsage, c.out, rest, map[string]func([]string) error{
				"list":   func(rest []string) error { return o.listAudit(ctx, rest) },
				"verify": func(rest []string) error { return o.verifyAudit(ctx, rest) },
			})
		},
	})
}

// userName is who typed the command, for the audit log.
func userName() string {
	if name := os.Getenv("SUDO_USER"); name != "" && os.Geteuid() == 0 {
		return app.Clip(name, 64)
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprintf("uid %d", os.Geteuid())
}

func (o *operator) token(ctx context.Context, args []string) error {
	if _, err := o.parse(ctx, newFlags("admin token", adminUsage), args); err != nil {
		return err
	}
	token, err := o.access.NewAdminToken(ctx, o.by)
	if err != nil {
		return err
	}
	fmt.Fprintln(o.out, token.Reveal())
	return nil
}

func (o *operator) listAudit(ctx context.Context, args []string) error {
	if _, err := o.parse(ctx, newFlags("admin audit list", adminUsage), args); err != nil {
		return err
	}
	events, err := o.access.Audit(ctx, 0, 100)
	if err != nil {
		return err
	}
	w := table(o.out, "SEQ", "TIME", "WHO", "ACTION", "SUBJECT", "DETAIL")
	for _, e := range events {
		who := string(e.Actor.Kind)
		if e.Actor.Name != "" {
			who += " " + e.Actor.Name
		}
		w.row(fmt.Sprint(e.Seq), stamp(e.At), who, e.Action, e.Subject, e.Detail)
	}
	return w.flush()
}

func (o *operator) verifyAudit(ctx context.Context, args []string) error {
	if _, err := o.parse(ctx, newFlags("admin audit verify", adminUsage), args); err != nil {
		return err
	}
	broken, err := o.access.VerifyAudit(ctx)
	if err != nil {
		return err
	}
	if broken != 0 {
		return fmt.Errorf("the audit log was changed: its chain breaks at event %d", broken)
	}
	fmt.Fprintln(o.out, "the audit log is unbroken")
	return nil
}
