package admin

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/user"

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
	by                 app.Actor
	cfg                config.Config
}

// Parse reads a command's arguments as cli.Flags.Parse does, and then opens the instance: neither help
// nor a wrong command needs one.
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
		"token": o.token,
		"user": o.group("admin user", commands{
			"list": o.listUsers, "role": o.setRole, "remove-passkeys": o.removePasskeys,
		}),
		"credential": o.group("admin credential", commands{
			"set": o.setCredential, "list": o.listCredentials, "show": o.showCredential, "delete": o.deleteCredential,
			"test": o.testCredential,
		}),
		"profile": o.group("admin profile", commands{
			"create": o.createProfile, "list": o.listProfiles, "show": o.showProfile, "lock": o.lockProfile,
			"hosts": o.profileHosts, "expire": o.expireProfile, "place": o.placeProfile, "revoke": o.revokeProfile,
			"delete": o.deleteProfile, "may-run": o.setMayRun,
		}),
		"approval": o.group("admin approval", commands{
			"list": o.listApprovals, "show": o.showApproval, "approve": o.approve, "refuse": o.refuse,
			"revoke": o.revokeApproval,
		}),
		"skill": o.group("admin skill", commands{
			"list": o.listSkills, "show": o.showSkill, "approve": o.approveSkill, "revoke": o.revokeSkill, "allow": o.allowSkill,
			"switch": o.switchSkill, "delete": o.deleteSkill,
		}),
		"export":  o.export,
		"import":  o.importFile,
		"restore": o.restore,
		"key":     o.group("admin key", commands{"rotate": o.rotateKey}),
		"vacuum":  o.vacuum,
		"retire":  o.retire,
		"audit": o.group("admin audit", commands{
			"list": o.listAudit, "verify": o.verifyAudit, "archived": o.archivedAudit,
		}),
	}
}

// command carries out one command with its arguments.
type command func(ctx context.Context, args []string) error

// commands are those that a word chooses from.
type commands map[string]command

// pick runs the command that the first argument names.
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
	if _, err := o.Parse(ctx, cli.NewFlags("admin token", Usage), args); err != nil {
		return err
	}
	token, err := o.Access.AdminToken.Renew(ctx, o.by)
	if err != nil {
		return err
	}
	fmt.Fprintln(o.Out, token.Reveal())
	return nil
}
