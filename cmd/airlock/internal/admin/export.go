package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// export is airlock admin export FILE.
func (o *operator) export(ctx context.Context, a cli.Args) error {
	what := transfer.Selection{History: !a.On("no-history"), Artifacts: a.On("artifacts")}
	if err := what.Check(); err != nil {
		return err
	}
	for _, id := range a.List("profile") {
		p, err := o.find(ctx, id)
		if err != nil {
			return err
		}
		what.Profiles = append(what.Profiles, p.Handle)
	}
	passphrase, err := o.passphrase(a.Text("passphrase-file"), "Passphrase for the file: ", true)
	if err != nil {
		return err
	}
	out, finish, err := o.output(a.Rest[0])
	if err != nil {
		return err
	}
	done, err := o.Transfer.Export(ctx, o.by, out, passphrase, what, nil)
	if err = finish(err); err != nil {
		return err
	}
	fmt.Fprintf(o.Err, "exported %s\n", done.Counts)
	if lost := done.LostSentence(); lost != "" {
		fmt.Fprintln(o.Err, lost)
	}
	return nil
}

// output creates a new file, or uses standard output for "-". An unfinished file is removed.
func (o *operator) output(path string) (io.Writer, func(error) error, error) {
	if path == "-" {
		return o.Out, func(err error) error { return err }, nil
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator names it
	if errors.Is(err, fs.ErrExist) {
		return nil, nil, app.E(app.CodeConflict, "the file "+path+" is there already",
			"Nothing is written over: name another file, or move that one away.")
	}
	if err != nil {
		return nil, nil, err
	}
	return file, func(err error) error {
		if err == nil {
			err = file.Sync()
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return errors.Join(err, os.Remove(path))
		}
		return nil
	}, nil
}
