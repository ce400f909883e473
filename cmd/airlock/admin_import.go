package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
)

// besideServer is how much a file may unpack to, in bytes, to be imported while the server runs: the import is one transaction, and the server's own writes wait
// for another process ten seconds at most.
const besideServer = 64 << 20

// importFile is airlock admin import FILE.
func (o *operator) importFile(ctx context.Context, args []string) error {
	f := newFlags("admin import", adminUsage)
	preview, overwrite, noHistory := f.Bool("preview", false, ""), f.Bool("overwrite", false, ""), f.Bool("no-history", false, "")
	yes, no, from, most := f.list("yes"), f.list("no"), f.String("passphrase-file", "", ""), f.String("max-size", "", "")
	rest, err := o.parse(ctx, f, args, "FILE")
	if err != nil {
		return err
	}
	file, err := o.upload(rest[0], *from, *most)
	if err != nil {
		return err
	}
	plan, err := o.transfer.Plan(ctx, o.by, file, nil)
	if err != nil {
		return err
	}
	choice := transfer.Choice{Overwrite: *overwrite, History: !*noHistory}
	if choice.Each, err = answers(plan, *yes, *no); err != nil {
		return err
	}
	o.showPlan(plan)
	if *preview {
		return nil
	}
	if lock, err := lockDataDir(o.cfg.DataDir); err == nil {
		defer lock.Close()
	} else if plan.Bytes > besideServer {
		return usageError{message: "the file is too large to be imported while the server runs; stop the server, or import it in the UI"}
	}
	report, err := o.transfer.Import(ctx, o.by, file, choice, plan.Digest, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.out, "imported %d credentials, %d profiles and %d executions; %d executions were here already or not wanted\n", report.Credentials, report.Profiles, report.Executions, report.Skipped)
	if left := choice.Left(plan); len(left) > 0 {
		fmt.Fprintf(o.out, "left as they are here: %s\n", strings.Join(left, ", "))
	}
	points, err := o.transfer.RestorePoints()
	if err == nil && len(points) > 0 {
		fmt.Fprintf(o.out, "to go back: stop the server, then airlock admin restore --replace %s\n", points[0].Name)
	}
	return nil
}

// answers are what was said about single items of a plan.
func answers(plan transfer.Plan, yes, no []string) (map[string]bool, error) {
	said := map[string]bool{}
	for i, key := range slices.Concat(yes, no) {
		answer := i < len(yes)
		if !known(plan, key) {
			return nil, usageError{message: fmt.Sprintf("there is no %q in the file; --preview lists what there is", app.Clip(key, 80))}
		}
		if before, twice := said[key]; twice && before != answer {
			return nil, usageError{message: fmt.Sprintf("%s is in --yes and in --no", key)}
		}
		said[key] = answer
	}
	return said, nil
}

func known(plan transfer.Plan, key string) bool {
	for _, i := range plan.Items {
		if i.Key == key {
			return true
		}
	}
	return false
}

// upload opens a file of this host with its passphrase.
func (o *operator) upload(path, passphraseFile, most string) (transfer.Upload, error) {
	passphrase, err := o.passphrase(passphraseFile, "Passphrase of the file: ", false)
	if err != nil {
		return transfer.Upload{}, err
	}
	file, err := transfer.OpenFile(path, passphrase)
	if err == nil && most != "" {
		file.MaxSize, err = parseSize(most)
	}
	return file, err
}

func (o *operator) showPlan(p transfer.Plan) {
	fmt.Fprintf(o.out, "made by instance %s (%s) at %s: %s\n", p.Instance, printable(p.Program), stamp(time.UnixMilli(p.MadeAt)), p.File)
	w := table(o.out, "ITEM", "STATE", "NAME", "WHAT IT IS, OR WOULD CHANGE")
	for _, i := range p.Items {
		changes := strings.Join(i.Changes, " ")
		if i.State == transfer.StateNew || i.Widens { // who says yes has to see what it may do
			changes = strings.TrimSpace(changes + " " + strings.Join(i.Facts, " "))
		}
		if i.Widens {
			changes = "NEEDS --yes " + i.Key + ": " + changes
		}
		w.row(i.Key, string(i.State), i.Title, changes)
	}
	_ = w.flush()
	fmt.Fprintf(o.out, "%d executions, %d of them here already\n", p.File.Executions, p.Here)
}

// handle is that of a profile, which may also be named by its id.
func (o *operator) handle(ctx context.Context, text string) (string, error) {
	find := o.access.ProfileByHandle
	if app.IsProfileID(text) {
		find = o.access.Profile
	}
	p, err := find(ctx, text)
	return p.Handle, err
}

// retire is airlock admin retire.
func (o *operator) retire(ctx context.Context, args []string) error {
	f := newFlags("admin retire", adminUsage)
	undo := f.Bool("undo", false, "")
	if _, err := o.parse(ctx, f, args); err != nil {
		return err
	}
	if *undo {
		if err := o.access.Unretire(ctx, o.by); err != nil {
			return err
		}
		fmt.Fprintln(o.out, "the instance executes again")
		return nil
	}
	if err := o.access.Retire(ctx, o.by); err != nil {
		return err
	}
	fmt.Fprintln(o.out, "the instance takes nothing any more; what runs goes on to its end")
	return nil
}
