package agentcli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// readFileFlags reads --file NAME=PATH.
func readFileFlags(list []string) (map[string]string, error) {
	paths := map[string]string{}
	for _, text := range list {
		name, path, found := strings.Cut(text, "=")
		if !found {
			name, path = filepath.Base(text), text
		}
		if _, twice := paths[name]; twice || name == "" {
			return nil, cli.UsageError{Message: "--file: each file needs a name of its own"}
		}
		paths[name] = path
	}
	return paths, nil
}

// sendFiles uploads those files of a run that Airlock lacks.
func (j *job) sendFiles(ctx context.Context) error {
	for name, path := range j.inputFiles {
		if j.request.Files[name] != "" {
			continue
		}
		content, err := os.ReadFile(path) //nolint:gosec // the user names it
		if err != nil {
			return cli.UsageError{Message: err.Error()}
		}
		var file struct {
			ID string `json:"file_id"`
		}
		r := client.Request{Method: http.MethodPost, Body: content, Path: "/files?name=" + url.QueryEscape(name)}
		if _, err := j.agent.ask(ctx, r, nil, &file); err != nil {
			return err
		}
		if j.request.Files == nil {
			j.request.Files = map[string]string{}
		}
		j.request.Files[name] = file.ID
	}
	return nil
}

// artifact is a file that the script left.
type artifact struct {
	Name     string `json:"name"`
	URL      string `json:"url"`
	Withheld *struct {
		Reason string `json:"reason"`
		Key    string `json:"key"`
	} `json:"withheld"`
}

func (j *job) takeArtifacts(ctx context.Context, x execution) error {
	if j.out == "" || len(x.Artifacts) == 0 {
		return nil
	}
	if err := os.MkdirAll(j.out, 0o750); err != nil {
		return errOut(err)
	}
	root, err := os.OpenRoot(j.out)
	if err != nil {
		return errOut(err)
	}
	defer func() { _ = root.Close() }()
	for _, a := range x.Artifacts {
		if a.Withheld != nil {
			reason := strings.TrimSpace(a.Withheld.Reason + " " + a.Withheld.Key)
			fmt.Fprintf(j.Err, "airlock: %s was withheld: %s\n", cli.Printable(a.Name), cli.Printable(reason))
			continue
		}
		if err := j.takeArtifact(ctx, root, x.ID, a.Name); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) takeArtifact(ctx context.Context, root *os.Root, id, name string) error {
	content, err := j.agent.persist(ctx, client.Request{Method: http.MethodGet,
		Path: "/executions/" + id + "/artifacts/" + url.PathEscape(name)})
	if err != nil {
		return err
	}
	if err := root.WriteFile(name, content, 0o600); err != nil {
		return errOut(err)
	}
	return nil
}

// errOut names the flag of a local failure.
func errOut(err error) error { return fmt.Errorf("--out: %w", err) }
