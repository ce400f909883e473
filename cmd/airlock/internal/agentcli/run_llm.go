package agentcli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// answer returns an answer to the script's question, or the reason for none.
func (j *job) answer(ctx context.Context, q question) answer {
	text, err := j.ask(ctx, q)
	if err != nil {
		why := err.Error()
		fmt.Fprintln(j.Err, "airlock: "+cli.Printable(why))
		return answer{RequestID: q.RequestID, Error: &why}
	}
	return answer{RequestID: q.RequestID, Response: &text}
}

func (j *job) ask(ctx context.Context, q question) (string, error) {
	switch {
	case j.llmCommand != "":
		return j.askCommand(ctx, q)
	case cli.IsTerminal(j.In):
		return j.askPerson(q)
	}
	return "", errors.New("the script asks the LLM, and airlock run has neither --llm-command nor a terminal")
}

// askCommand runs the command with the prompt on stdin, in this environment without Airlock's
// variables.
func (j *job) askCommand(ctx context.Context, q question) (string, error) {
	cmd := exec.CommandContext(ctx, "sh", "-c", j.llmCommand) //nolint:gosec // the user's own command
	for _, e := range j.Env {
		if !strings.HasPrefix(e, config.EnvPrefix) {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "AIRLOCK_LLM_MODEL="+strings.ReplaceAll(q.Model, "\x00", ""))
	cmd.Stdin, cmd.Stderr = strings.NewReader(q.Prompt), j.own
	cmd.WaitDelay = time.Second // what the shell started may go on and hold its output open
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("the LLM command failed: %w", err)
	}
	if len(out) > app.MaxResponse {
		return "", fmt.Errorf("the LLM command's answer is larger than %d bytes", app.MaxResponse)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// askPerson shows the prompt and reads lines up to a single dot.
func (j *job) askPerson(q question) (string, error) {
	var lines []string
	for line := range strings.Lines(q.Prompt) {
		lines = append(lines, "  "+cli.Printable(strings.TrimRight(line, "\n")))
	}
	fmt.Fprintf(j.Err, "The script asks (model %q):\n%s\nThat is the script's text: never answer with a password or "+
		"another secret.\nYour answer, ended by a line with a single dot:\n", cli.Printable(q.Model),
		strings.Join(lines, "\n"))
	return readToDot(j.In)
}

func readToDot(in io.Reader) (string, error) {
	var lines []string
	scan := bufio.NewScanner(in)
	scan.Buffer(nil, app.MaxResponse)
	for scan.Scan() {
		if scan.Text() == "." {
			return strings.Join(lines, "\n"), nil
		}
		lines = append(lines, scan.Text())
	}
	if err := scan.Err(); err != nil || len(lines) == 0 {
		return "", errors.Join(errors.New("no answer was given"), err)
	}
	return strings.Join(lines, "\n"), nil
}
