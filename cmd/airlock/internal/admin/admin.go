package admin

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"slices"
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
	*instance.Instance // nil for a restore, which makes the database

	by  app.Actor
	cfg config.Config
}

// Run is airlock admin.
func Run(ctx context.Context, c cli.Console, args []string) (err error) {
	o := &operator{Console: c, by: app.Actor{Kind: app.ActorCommand, Name: userName()}}
	name, run, err := cli.Choose(c.Out, "admin", Usage, o.commands(), args)
	if err != nil {
		return err
	}
	if o.cfg, err = config.Load(c.Env); err != nil {
		return err
	}
	if err := harden.Process(); err != nil {
		return err
	}
	lock, err := o.lock(name)
	if err != nil {
		return err
	}
	defer lock.Close()
	if name != "restore" {
		if o.Instance, err = instance.Open(ctx, o.cfg, c.Warnings()); err != nil {
			return instance.NoRoomHere(o.cfg.DataDir, err)
		}
		defer func() { err = errors.Join(err, o.Close()) }()
	}
	return instance.NoRoomHere(o.cfg.DataDir, run(ctx))
}

// lock takes what a command needs of the data directory.
func (o *operator) lock(command string) (io.Closer, error) {
	if command != "restore" {
		if err := instance.CheckExisting(o.cfg.DataDir); err != nil {
			return nil, err
		}
	}
	if slices.Contains([]string{"restore", "vacuum", "key rotate"}, command) {
		return instance.LockAlone(o.cfg.DataDir)
	}
	return instance.ShareKeys(o.cfg.DataDir)
}

// Has reports whether airlock admin has the command.
func Has(name string) bool {
	for synopsis := range new(operator).commands() {
		if strings.HasPrefix(synopsis+" ", name+" ") {
			return true
		}
	}
	return false
}

const (
	credentialFlags = " --mode= --vault= --host= --place= --header= --plain-http"
	grantFlags      = " --key= --host= --private-host="
	placeFlags      = " --backend= --min-tier= --image= --fresh"
)

func (o *operator) commands() cli.Commands {
	return cli.Commands{
		"token":                     o.renewToken,
		"user list":                 o.listUsers,
		"user role NAME ROLE":       o.setRole,
		"user remove-passkeys NAME": o.removePasskeys,
		"credential set NAME --description= --no-value --local --yes" + credentialFlags: o.setCredential,
		"credential list":                o.listCredentials,
		"credential show NAME --headers": o.showCredential,
		"credential delete NAME --yes":   o.deleteCredential,
		"credential test NAME --host= --path= --private --header= --basic=": o.testCredential,
		"profile create --description=" + grantFlags + placeFlags:           o.createProfile,
		"profile list":    o.listProfiles,
		"profile show ID": o.ofProfile(o.showProfile),
		"profile lock ID --expires= --yes" + grantFlags:              o.ofProfile(o.lockProfile),
		"profile hosts ID --allow= --allow-private= --remove= --yes": o.ofProfile(o.changeHosts),
		"profile place ID" + placeFlags:                              o.ofProfile(o.placeProfile),
		"profile may-run ID RULE":                                    o.ofProfile(o.setMayRun),
		"profile expire ID TIME":                                     o.ofProfile(o.expireProfile),
		"profile revoke ID":                                          o.ofProfile(o.revokeProfile),
		"profile delete ID":                                          o.ofProfile(o.deleteProfile),
		"skill list":                                                 o.listSkills,
		"skill show DIGEST":                                          o.showSkill,
		"skill approve DIGEST":                                       o.approveSkill,
		"skill revoke NAME@NUMBER --reason=":                         o.revokeSkill,
		"skill allow NAME ID --undo":                                 o.allowSkill,
		"skill switch NAME on|off":                                   o.switchSkill,
		"skill delete NAME":                                          o.deleteSkill,
		"approval list":                                              o.listApprovals,
		"approval show ID":                                           o.showApproval,
		"approval approve ID --once --always":                        o.approve,
		"approval refuse ID --reason=":                               o.refuse,
		"approval revoke ID":                                         o.revokeApproval,
		"audit list":                                                 o.listAudit,
		"audit verify --noted=":                                      o.verifyAudit,
		"audit archived --of=":                                       o.archivedAudit,
		"export FILE --profile= --no-history --artifacts --passphrase-file=":             o.export,
		"import FILE --preview --yes= --no= --no-history --max-size= --passphrase-file=": o.importFile,
		"restore FILE --replace --max-size= --passphrase-file=":                          o.restore,
		"key rotate":    o.rotateKey,
		"vacuum":        o.vacuum,
		"retire --undo": o.retire,
	}
}

// ofProfile finds the profile that the first argument names.
func (o *operator) ofProfile(
	run func(context.Context, app.Profile, cli.Args) error,
) func(context.Context, cli.Args) error {
	return func(ctx context.Context, a cli.Args) error {
		p, err := o.find(ctx, a.Rest[0])
		if err != nil {
			return err
		}
		return run(ctx, p, a)
	}
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
func (o *operator) asks(a cli.Args) bool { return !a.On("yes") && cli.IsTerminal(o.In) }

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
