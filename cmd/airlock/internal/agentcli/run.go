package agentcli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

const runUsage = `Usage: airlock run SCRIPT [flags]
       airlock run --skill NAME [flags]

Submits a Python script ("-" reads it from stdin) or runs an approved skill, waits, answers its LLM questions and
prints its result as JSON.
What the script printed goes to stdout and stderr of this command when it has ended, the result after it: only then
all of it has been searched for secrets. Until then stderr tells how the execution stands. People watch its output
live on its page in the UI.

  --profile ID         profile id; better in AIRLOCK_PROFILE, since arguments can be read by other users of this host
  --url URL            the instance; else AIRLOCK_URL, else http://localhost:9090
  --skill NAME         run this skill: NAME, NAME@VERSION or a digest
  --inputs FILE        JSON for the script's inputs
  --file NAME=PATH     a file for the script, which reads it with files.open(NAME); several times for several files
  --out DIR            where to put the files that the script leaves
  --timeout SECONDS    run time
  --label TEXT         a name for the run, shown in lists
  --wait SECONDS       how long to wait for a person who has to lock the profile, set a value or approve the script; 600
                       if absent, 0 not at all. The link for them is on stderr
  --llm-command CMD    run for each question by sh -c: prompt on stdin, answer on stdout, model in AIRLOCK_LLM_MODEL.
                       Without it the question is asked on the terminal; if there is none, the script gets llm.Error
  --json               print one JSON object and nothing else on stdout: the execution as GET /executions/{id} tells
                       it, or {"error": …}
  --quiet              don't tell how the execution stands

Exit codes: 0 completed, 1 error, 2 wrong usage, 3 timeout, 4 cancelled (Ctrl-C cancels), 5 refused by Airlock, 6
Airlock can't be reached, 7 a person has to act and did not.
`

// Exit codes of airlock run. docs/run.md lists them.
const (
	exitTimeout     = 3
	exitCancelled   = 4
	exitRefused     = 5
	exitUnreachable = 6
	exitPerson      = 7
)

// waitForPerson is how long a run waits for a person by default.
const waitForPerson = 10 * time.Minute

// Run is airlock run.
// It returns the exit code.
func Run(ctx context.Context, c cli.Console, args []string) int {
	job, err := readJob(c, args)
	if err != nil {
		return c.Finish(err)
	}
	x, err := job.run(ctx)
	if err != nil {
		return job.fail(err)
	}
	code := job.report(x) // first: what can't be written locally loses no result
	return max(code, job.Finish(job.takeArtifacts(context.WithoutCancel(ctx), x)))
}

// job is one run of one script.
type job struct {
	cli.Console
	own        io.Writer // stderr for the user's own command
	agent      agent
	llmCommand string
	patience   time.Duration // with people
	json       bool
	quiet      bool
	request    submission
	inputFiles map[string]string // paths by the names that the script knows
	out        string            // directory for what the script leaves; "" if it stays where it is
	reported   string            // last status
	reportedAt time.Time
}

func readJob(c cli.Console, args []string) (*job, error) {
	a, err := cli.Parse(c.Out, "run [SCRIPT] --profile= --url= --skill= --inputs= --file= --out= --timeout= --label= "+
		"--wait= --llm-command= --json --quiet", runUsage, args)
	if err != nil {
		return nil, err
	}
	if (len(a.Rest) == 1) == a.IsGiven("skill") {
		return nil, cli.UsageError{Message: "run: name a SCRIPT, or a skill with --skill"}
	}
	j := &job{
		Console: cli.Console{In: c.In, Out: screen(c.Out), Err: screen(c.Err), Env: c.Env}, own: c.Err,
		llmCommand: a.Text("llm-command"), json: a.On("json"), quiet: a.On("quiet"), out: a.Text("out"),
		request: submission{Label: a.Text("label"), Skill: a.Text("skill")},
	}
	if j.agent.api, j.agent.profile, err = Connect(c, a); err != nil {
		return nil, err
	}
	wait, err := readSeconds(a, "wait", waitForPerson.Seconds())
	if err != nil {
		return nil, err
	}
	j.patience = time.Duration(wait * float64(time.Second))
	if j.request.Timeout, err = readSeconds(a, "timeout", 0); err != nil {
		return nil, err
	}
	if j.inputFiles, err = readFileFlags(a.List("file")); err != nil {
		return nil, err
	}
	for _, script := range a.Rest {
		if j.request.Script, err = readText(j.In, script); err != nil {
			return nil, err
		}
	}
	if a.IsGiven("inputs") {
		text, err := readText(j.In, a.Text("inputs"))
		if err != nil {
			return nil, err
		}
		if !json.Valid([]byte(text)) {
			return nil, cli.UsageError{Message: a.Text("inputs") + " is not JSON"}
		}
		j.request.Inputs = json.RawMessage(text)
	}
	return j, nil
}

// readSeconds reads a flag of up to a day.
func readSeconds(a cli.Args, flag string, absent float64) (float64, error) {
	if !a.IsGiven(flag) {
		return absent, nil
	}
	n, err := strconv.ParseFloat(a.Text(flag), 64)
	if err != nil || !(n >= 0 && n <= 86400) {
		return 0, cli.UsageError{Message: "--" + flag + " takes seconds, from 0 to 86400"}
	}
	return n, nil
}

// readText reads a file in UTF-8, or stdin for "-". It only guards memory; Airlock refuses large
// scripts.
func readText(in io.Reader, path string) (string, error) {
	if path != "-" {
		file, err := os.Open(path) //nolint:gosec // the user names it
		if err != nil {
			return "", cli.UsageError{Message: err.Error()}
		}
		defer file.Close()
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, app.MaxBody+1))
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	if !utf8.Valid(data) {
		return "", cli.UsageError{Message: path + " is not UTF-8; save it as UTF-8, without a coding line"}
	}
	return strings.TrimPrefix(string(data), "\ufeff"), nil
}
