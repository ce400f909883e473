package admin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/user"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/harden"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// operator carries out one airlock admin command.
type operator struct {
	cli.Console
	*instance.Instance // nil until the command line is found to be right

	by  app.Actor
	cfg config.Config
}

// Run is airlock admin.
func Run(ctx context.Context, c cli.Console, args []string) (err error) {
	o := &operator{Console: c, by: app.Actor{Kind: app.ActorCommand, Name: userName()}}
	defer func() {
		if o.Instance != nil {
			err = errors.Join(err, o.Close())
		}
		err = instance.NoRoomHere(o.cfg.DataDir, err)
	}()
	return o.pick(ctx, "admin", args, o.commands())
}

// Has reports whether airlock admin has the command.
func Has(name string) bool {
	_, found := new(operator).commands()[name]
	return found
}

func (o *operator) commands() commands {
	return commands{
		"token": o.plain("admin token", o.renewToken),
		"user": o.group("admin user", commands{
			"list":            o.plain("admin user list", o.listUsers),
			"role":            o.plain("admin user role", o.setRole, "NAME", "ROLE"),
			"remove-passkeys": o.plain("admin user remove-passkeys", o.removePasskeys, "NAME"),
		}),
		"credential": o.group("admin credential", commands{
			"set": o.setCredential, "show": o.showCredential, "delete": o.deleteCredential, "test": o.testCredential,
			"list": o.plain("admin credential list", o.listCredentials),
		}),
		"profile": o.group("admin profile", commands{
			"create": o.createProfile, "lock": o.lockProfile, "hosts": o.changeHosts, "place": o.placeProfile,
			"list":    o.plain("admin profile list", o.listProfiles),
			"show":    o.ofProfile("admin profile show", o.showProfile),
			"expire":  o.ofProfile("admin profile expire", o.expireProfile, "TIME"),
			"revoke":  o.ofProfile("admin profile revoke", o.revokeProfile),
			"delete":  o.ofProfile("admin profile delete", o.deleteProfile),
			"may-run": o.ofProfile("admin profile may-run", o.setMayRun, "RULE"),
		}),
		"approval": o.group("admin approval", commands{
			"list":    o.plain("admin approval list", o.listApprovals),
			"show":    o.plain("admin approval show", o.showApproval, "ID"),
			"approve": o.approve, "refuse": o.refuse,
			"revoke": o.plain("admin approval revoke", o.revokeApproval, "ID"),
		}),
		"skill": o.group("admin skill", commands{
			"list":    o.plain("admin skill list", o.listSkills),
			"show":    o.plain("admin skill show", o.showSkill, "DIGEST"),
			"approve": o.plain("admin skill approve", o.approveSkill, "DIGEST"),
			"revoke":  o.revokeSkill, "allow": o.allowSkill,
			"switch": o.plain("admin skill switch", o.switchSkill, "NAME", "on|off"),
			"delete": o.plain("admin skill delete", o.deleteSkill, "NAME"),
		}),
		"export":  o.export,
		"import":  o.importFile,
		"restore": o.restore,
		"key":     o.group("admin key", commands{"rotate": o.rotateKey}),
		"vacuum":  o.vacuum,
		"retire":  o.retire,
		"audit": o.group("admin audit", commands{
			"list": o.plain("admin audit list", o.listAudit), "verify": o.verifyAudit, "archived": o.archivedAudit,
		}),
	}
}

// command carries out one command with its arguments.
type command func(ctx context.Context, args []string) error

// commands are those that a word chooses from.
type commands map[string]command

func (o *operator) pick(ctx context.Context, name string, args []string, all commands) error {
	bound := make(map[string]func([]string) error, len(all))
	for word, run := range all {
		bound[word] = func(rest []string) error { return run(ctx, rest) }
	}
	return cli.Pick(name, Usage, o.Out, args, bound)
}

// group is a command that consists of commands.
func (o *operator) group(name string, all commands) command {
	return func(ctx context.Context, args []string) error { return o.pick(ctx, name, args, all) }
}

// plain is a command without flags. want names its arguments.
func (o *operator) plain(name string, run command, want ...string) command {
	return func(ctx context.Context, args []string) error {
		rest, err := o.Parse(ctx, cli.NewFlags(name, Usage), args, want...)
		if err != nil {
			return err
		}
		return run(ctx, rest)
	}
}

func (o *operator) ofProfile(
	name string, run func(ctx context.Context, p app.Profile, rest []string) error, want ...string,
) command {
	return o.plain(name, func(ctx context.Context, rest []string) error {
		p, err := o.find(ctx, rest[0])
		if err != nil {
			return err
		}
		return run(ctx, p, rest[1:])
	}, append([]string{"ID"}, want...)...)
}

// Parse parses a command's arguments and then opens the instance. Help and wrong commands need
// none.
func (o *operator) Parse(ctx context.Context, f *cli.Flags, args []string, want ...string) ([]string, error) {
	rest, err := f.Parse(o.Out, args, want...)
	if err != nil {
		return nil, err
	}
	cfg, err := config.Load(o.Env)
	if err != nil {
		return nil, err
	}
	if err := harden.Process(); err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(o.Err, &slog.HandlerOptions{Level: slog.LevelWarn}))
	o.cfg = cfg
	o.Instance, err = instance.OpenExisting(ctx, cfg, log)
	return rest, err
}

// table prints a list, one row each.
func table[T any](o *operator, list []T, row func(T) []string, head ...string) error {
	w := cli.Table(o.Out, head...)
	for _, one := range list {
		w.Row(row(one)...)
	}
	return w.Flush()
}

// asks reports whether to ask a terminal before a grant.
func (o *operator) asks(yes bool) bool { return !yes && cli.IsTerminal(o.In) }

// confirm asks a question, and returns refused unless the answer is yes.
func (o *operator) confirm(question string, refused *app.Error) error {
	fmt.Fprint(o.Err, question+" [y/N] ")
	answer, _ := bufio.NewReader(io.LimitReader(o.In, 100)).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	}
	return refused
}

// userName returns the command's user, for the audit log.
func userName() string {
	if name := os.Getenv("SUDO_USER"); name != "" && os.Geteuid() == 0 {
		return app.Clip(name, 64)
	}
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return fmt.Sprintf("uid %d", os.Geteuid())
}
