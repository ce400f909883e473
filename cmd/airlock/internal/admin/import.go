package admin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/instance"
)

// besideServer bounds the unpacked bytes of an import beside a running server. It is one
// transaction, and the server's writes wait at most ten seconds.
const besideServer = 64 << 20

// importFile is airlock admin import FILE.
func (o *operator) importFile(ctx context.Context, a cli.Args) error {
	file, err := o.upload(a.Rest[0], a)
	if err != nil {
		return err
	}
	plan, err := o.Transfer.Plan(ctx, o.by, file, nil)
	if err != nil {
		return err
	}
	choice := transfer.Choice{History: !a.On("no-history")}
	if choice.Each, err = answers(plan, a.List("yes"), a.List("no")); err != nil {
		return err
	}
	o.showPlan(plan)
	if a.On("preview") {
		return nil
	}
	if lock, err := instance.LockDataDir(o.cfg.DataDir); err == nil {
		defer lock.Close()
	} else if plan.Bytes > besideServer {
		return cli.UsageError{Message: "the file is too large to be imported while the server runs; stop the server, or " +
			"import it in the UI"}
	}
	report, err := o.Transfer.Import(ctx, o.by, file, choice, plan, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "imported %d credentials, %d profiles, %d skills and %d executions; %d executions were here "+
		"already or not wanted\n", report.Credentials, report.Profiles, report.Skills, report.Executions, report.Skipped)
	if left := choice.ListLeft(plan); len(left) > 0 {
		fmt.Fprintf(o.Out, "left as they are here: %s\n", strings.Join(left, ", "))
	}
	points, err := o.Transfer.RestorePoints()
	if err == nil && len(points) > 0 {
		fmt.Fprintf(o.Out, "to go back: stop the server, then airlock admin restore --replace %s\n", points[0].Name)
	}
	return nil
}

func answers(plan transfer.Plan, yes, no []string) (map[string]bool, error) {
	said := map[string]bool{}
	for i, key := range slices.Concat(yes, no) {
		if !slices.ContainsFunc(plan.Items, func(item transfer.Item) bool { return item.Key == key }) {
			return nil, cli.UsageError{Message: fmt.Sprintf("there is no %q in the file; --preview lists what there is",
				app.Clip(key, 80))}
		}
		if said[key] && i >= len(yes) {
			return nil, cli.UsageError{Message: fmt.Sprintf("%s is in --yes and in --no", key)}
		}
		said[key] = i < len(yes)
	}
	return said, nil
}

// upload opens a file that was exported, with its passphrase.
func (o *operator) upload(path string, a cli.Args) (transfer.Upload, error) {
	passphrase, err := o.passphrase(a.Text("passphrase-file"), "Passphrase of the file: ", false)
	if err != nil {
		return transfer.Upload{}, err
	}
	file, err := transfer.OpenFile(path, passphrase)
	if err == nil && a.IsGiven("max-size") {
		file.MaxSize, err = app.ParseSize(a.Text("max-size"))
	}
	return file, err
}

func (o *operator) showPlan(p transfer.Plan) {
	fmt.Fprintf(o.Out, "made by instance %s (%s) at %s: %s\n", p.Instance, cli.Printable(p.Program),
		cli.Stamp(time.UnixMilli(p.MadeAt)), p.File)
	w := cli.Table(o.Out, "ITEM", "STATE", "NAME", "WHAT IT IS, OR WOULD CHANGE")
	for _, i := range p.Items {
		lines := slices.Clone(i.Why)
		for _, field := range i.Fields {
			lines = append(lines, field.String())
		}
		says := strings.Join(lines, "; ")
		if i.Asks {
			says = "NEEDS --yes " + i.Key + ": " + says
		}
		w.Row(i.Key, string(i.State), i.Title, says)
	}
	_ = w.Flush()
	fmt.Fprintf(o.Out, "%d executions; those that are here already stay as they are\n", p.File.Executions)
}
