package skillcli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/cmd/airlock/internal/agentcli"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

type pushed struct {
	Name    string   `json:"name"`
	Version int      `json:"version"`
	Digest  string   `json:"digest"`
	State   string   `json:"state"`
	Next    string   `json:"next_step"`
	Missing []string `json:"missing"`
}

// push is airlock skill push: it uploads a skill for review.
func push(ctx context.Context, c cli.Console, a cli.Args) error {
	api, id, err := agentcli.Connect(c, a)
	if err != nil {
		return err
	}
	b, err := open(a.Rest[0])
	var problems bundle.Problems
	switch {
	case errors.As(err, &problems):
		printProblems(c.Err, problems)
		return errors.New("nothing was sent: it is not a skill")
	case err != nil:
		return fmt.Errorf("the skill can't be read: %w", err)
	}
	var packed bytes.Buffer
	if err := b.WriteZip(&packed); err != nil {
		return err
	}
	got, err := ask(ctx, api, client.Request{Method: http.MethodPost, Path: "/skills", Profile: id, Body: packed.Bytes(),
		Type: "application/zip"})
	if err != nil {
		return err
	}
	if a.On("json") {
		_, err := c.Out.Write(got)
		return err
	}
	var v pushed
	if json.Unmarshal(got, &v) != nil || v.Digest != b.Digest() {
		return errors.New("the answer doesn't have the digest of what was sent; check the address of the instance")
	}
	fmt.Fprintf(c.Out, "%s@%d %s\n%s\n", v.Name, v.Version, v.Digest,
		cli.Printable(cmp.Or(v.Next, "It is "+v.State+".")))
	if len(v.Missing) > 0 {
		lacks := strings.Join(v.Missing, ", ")
		fmt.Fprintln(c.Err, cli.Printable("the sandbox lacks "+lacks+"; ask the operator to install that"))
	}
	return nil
}

// pull is airlock skill pull: it writes a skill's files into a new folder.
func pull(ctx context.Context, c cli.Console, a cli.Args) error {
	api, id, err := agentcli.Connect(c, a)
	if err != nil {
		return err
	}
	got, err := ask(ctx, api, client.Request{Method: http.MethodGet, Profile: id,
		Path: "/skills/" + url.PathEscape(a.Rest[0]) + "/bundle.zip"})
	if err != nil {
		return err
	}
	b, err := bundle.ReadZip(bytes.NewReader(got), int64(len(got)))
	if err != nil {
		return fmt.Errorf("the answer is not a skill: %w", err)
	}
	folder := b.Manifest.Name
	if len(a.Rest) > 1 {
		folder = a.Rest[1]
	}
	if err := b.WriteFolder(folder); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "%s %s\n%d files in %s\n", b.Manifest.Name, b.Digest(), len(b.Files), cli.Printable(folder))
	return nil
}

func ask(ctx context.Context, api client.Client, r client.Request) ([]byte, error) {
	got, err := api.Do(ctx, r)
	if err != nil {
		return nil, app.E(app.CodeUnreachable, err.Error(), "Check --url or AIRLOCK_URL, and that the instance runs.")
	}
	if !got.OK() {
		return nil, got.Refusal()
	}
	return got.Text, nil
}
