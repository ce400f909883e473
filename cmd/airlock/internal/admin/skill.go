package admin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// skills decides about skills.
func (o *operator) skills() *skills.Service {
	return skills.New(skills.Config{Store: o.Store, Files: o.Files, Hub: o.Hub, Patterns: o.cfg.Patterns.Find})
}

// showSkill prints everything in a version, as a reviewer reads it.
func (o *operator) showSkill(ctx context.Context, a cli.Args) error {
	service := o.skills()
	v, err := findVersion(ctx, service, a.Rest[0])
	if err != nil {
		return err
	}
	b, err := service.Open(ctx, v.Digest)
	if err != nil {
		return err
	}
	for _, f := range b.Files {
		fmt.Fprintf(o.Out, "==> %s (%s)\n", cli.Printable(f.Path), app.FormatSize(int64(len(f.Content))))
		if !utf8.Valid(f.Content) {
			fmt.Fprintln(o.Out, "not text")
			continue
		}
		cli.PrintCode(o.Out, string(f.Content))
	}
	fmt.Fprintln(o.Out, "==> What to look at")
	for _, fact := range service.Scan(*b).All() {
		cli.PrintList(o.Out, fact.Name, fact.Places)
	}
	return nil
}

// findVersion returns the version with a digest.
func findVersion(ctx context.Context, service *skills.Service, digest string) (skills.Version, error) {
	list, err := service.List(ctx)
	if err != nil {
		return skills.Version{}, err
	}
	for _, s := range list {
		for _, v := range s.Versions {
			if v.Digest == digest {
				return v, nil
			}
		}
	}
	return skills.Version{}, app.E(app.CodeNotFound, "there is no version with this digest",
		"airlock admin skill list shows digests.")
}

func (o *operator) listSkills(ctx context.Context, _ cli.Args) error {
	list, err := o.skills().List(ctx)
	if err != nil {
		return err
	}
	w := cli.Table(o.Out, "SKILL", "STATE", "UPLOADED", "KEYS", "HOSTS", "DIGEST")
	for _, s := range list {
		for _, v := range s.Versions {
			state := string(v.State)
			if !s.Enabled {
				state += ", off"
			}
			w.Row(fmt.Sprintf("%s@%d", v.Name, v.Number), state, cli.Stamp(v.Uploaded),
				strings.Join(v.Manifest.Keys, " "), app.BriefHosts(v.Manifest.Hosts), v.Digest)
		}
	}
	return w.Flush()
}

// approveSkill approves a version. The digest says which files somebody looked at.
func (o *operator) approveSkill(ctx context.Context, a cli.Args) error {
	service := o.skills()
	v, err := findVersion(ctx, service, a.Rest[0])
	if err != nil {
		return err
	}
	if _, err := service.Approve(ctx, o.by, v.Name, v.Number, v.Digest); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "approved %s@%d\n", v.Name, v.Number)
	return nil
}

func (o *operator) revokeSkill(ctx context.Context, a cli.Args) error {
	name, digits, _ := strings.Cut(a.Rest[0], "@")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return cli.UsageError{Message: "name the version, such as totals@3; airlock admin skill list shows them"}
	}
	if _, err := o.skills().Revoke(ctx, o.by, name, number, a.Text("reason")); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "revoked %s@%d; running executions continue\n", name, number)
	return nil
}

func (o *operator) allowSkill(ctx context.Context, a cli.Args) error {
	p, err := o.find(ctx, a.Rest[1])
	if err != nil {
		return err
	}
	if a.On("undo") {
		return o.skills().Disallow(ctx, o.by, a.Rest[0], p.Handle)
	}
	return o.skills().Allow(ctx, o.by, a.Rest[0], p.Handle)
}

func (o *operator) switchSkill(ctx context.Context, a cli.Args) error {
	if a.Rest[1] != "on" && a.Rest[1] != "off" {
		return cli.UsageError{Message: "a skill is switched on or off"}
	}
	return o.skills().SetEnabled(ctx, o.by, a.Rest[0], a.Rest[1] == "on")
}

func (o *operator) deleteSkill(ctx context.Context, a cli.Args) error {
	return o.skills().Delete(ctx, o.by, a.Rest[0])
}
