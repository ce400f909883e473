package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

const runUsage = `Usage: airlock run SCRIPT [flags]

Submits a Python script ("-" reads it from stdin), waits, answers its LLM questions and prints its result as JSON. What the script printed
goes to stdout and stderr of this command when it has ended, the result after it.

  --profile ID         profile id; better in AIRLOCK_PROFILE, since arguments can be read by other users of this host
  --url URL            the instance; else AIRLOCK_URL, else http://localhost:9090
  --inputs FILE        JSON for the script's inputs
  --timeout SECONDS    run time
  --llm-command CMD    run for each question by sh -c: prompt on stdin, answer on stdout, model in AIRLOCK_LLM_MODEL.
                       Without it the question is asked on the terminal; if there is none, the script gets llm.Error

Exit codes: 0 completed, 1 error, 2 wrong usage, 3 timeout, 4 cancelled (Ctrl-C cancels), 5 refused by Airlock, 6 Airlock can't be reached.
`

// Exit codes of airlock run.
const (
	exitTimeout     = 3
	exitCancelled   = 4
	exitRefused     = 5
	exitUnreachable = 6
)

// runScript is airlock run.
func runScript(ctx context.Context, c console, args []string) int {
	job, err := readJob(c, args)
	if err != nil {
		return c.finish(err)
	}
	x, err := job.run(ctx)
	var refused *apiError
	switch {
	case errors.As(err, &refused):
		fmt.Fprintf(c.err, "airlock: %s (%s)\n  %s\n", printable(refused.Message), refused.Code, printable(refused.Hint))
		return exitRefused
	case errors.Is(err, errCancelled):
		fmt.Fprintln(c.err, "airlock: cancelled")
		return exitCancelled
	case err != nil:
		fmt.Fprintf(c.err, "airlock: %v\n", err)
		return exitUnreachable
	}
	return job.report(x)
}

// job is one run of one script.
type job struct {
	console
	client     *client
	llmCommand string
	request    submission
}

type submission struct {
	Script  string          `json:"script"`
	Timeout *float64        `json:"timeout,omitempty"`
	Inputs  json.RawMessage `json:"inputs,omitempty"`
}

func readJob(c console, args []string) (*job, error) {
	f := newFlags("run", runUsage)
	profile, url, inputs := f.String("profile", "", ""), f.String("url", "", ""), f.String("inputs", "", "")
	command, timeout := f.String("llm-command", "", ""), f.Float64("timeout", 0, "")
	rest, err := f.parse(c.out, args, "SCRIPT")
	if err != nil {
		return nil, err
	}
	cfg, err := loadConfig(c.env)
	if err != nil {
		return nil, err
	}
	if *url != "" {
		if cfg.URL, err = parseURL(*url); err != nil {
			return nil, usageError{"--url: " + err.Error()}
		}
	}
	if *profile != "" {
		if setProfile(&cfg, *profile) != nil {
			return nil, usageError{"--profile: that is not a profile id (ark_…)"}
		}
	}
	if cfg.Profile.Empty() {
		return nil, usageError{"which profile? Set AIRLOCK_PROFILE to its id (ark_…)"}
	}
	j := &job{console: c, client: newClient(cfg.URL, cfg.Profile), llmCommand: *command}
	if given(f, "timeout") {
		j.request.Timeout = timeout
	}
	script, err := readSource(c.in, rest[0])
	if err != nil {
		return nil, err
	}
	j.request.Script = script
	if *inputs != "" {
		text, err := readSource(c.in, *inputs)
		if err != nil {
			return nil, err
		}
		if !json.Valid([]byte(text)) {
			return nil, usageError{*inputs + " is not JSON"}
		}
		j.request.Inputs = json.RawMessage(text)
	}
	return j, nil
}

// readSource reads a file, or stdin for "-". Airlock refuses what is too large; here only the memory is guarded.
func readSource(in io.Reader, path string) (string, error) {
	if path != "-" {
		file, err := os.Open(path) //nolint:gosec // the user names it
		if err != nil {
			return "", usageError{err.Error()}
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, app.MaxBody+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(data), nil
}

// errCancelled means that the user stopped the run.
var errCancelled = errors.New("cancelled")

// run submits the script and stays with it to its end. If ctx ends, the execution is cancelled.
func (j *job) run(ctx context.Context) (execution, error) {
	x, err := j.client.submit(ctx, j.request)
	for err == nil && !x.Status.Terminal() {
		if x.Status == app.StatusAwaitingLLM && x.LLMRequest != nil {
			x, err = j.client.respond(ctx, x.ID, j.answer(ctx, *x.LLMRequest))
			continue
		}
		x, err = j.client.poll(ctx, x.ID)
	}
	if ctx.Err() != nil {
		if x.ID != "" && !x.Status.Terminal() {
			stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
			defer cancel()
			_ = j.client.cancel(stopCtx, x.ID)
		}
		return x, errCancelled
	}
	return x, err
}

// report prints what the execution left and returns the exit code. The result is the last thing on stdout.
func (j *job) report(x execution) int {
	relay(j.out, x.Stdout)
	relay(j.err, x.Stderr)
	for _, n := range x.Network {
		if n.Verdict == string(app.VerdictDenied) {
			fmt.Fprintf(j.err, "airlock: no connection to %s:%d: %s\n", printable(n.Host), n.Port, printable(n.Hint))
		}
	}
	if x.Truncated {
		fmt.Fprintln(j.err, "airlock: the output was cut")
	}
	switch x.Status {
	case app.StatusCompleted:
		fmt.Fprintln(j.out, string(x.Result))
		return exitOK
	case app.StatusTimeout:
		fmt.Fprintln(j.err, "airlock: timeout: "+x.Error)
		return exitTimeout
	case app.StatusCancelled:
		fmt.Fprintln(j.err, "airlock: cancelled: "+x.Error)
		return exitCancelled
	}
	relay(j.err, x.Traceback)
	fmt.Fprintln(j.err, "airlock: error: "+x.Error)
	return exitError
}

// relay writes what a script printed, ending in a line break.
func relay(w io.Writer, text string) {
	if text != "" {
		fmt.Fprint(w, text)
		if !strings.HasSuffix(text, "\n") {
			fmt.Fprintln(w)
		}
	}
}
