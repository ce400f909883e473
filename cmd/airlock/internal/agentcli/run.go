package agentcli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"time"
	"unicode"
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
		return failEarly(c, args, err)
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
	files      localFiles
	reported   string // last status
	reportedAt time.Time
	started    time.Time
}

func readJob(c cli.Console, args []string) (*job, error) {
	f := cli.NewFlags("run", runUsage)
	profile, url, inputs := f.String("profile", "", ""), f.String("url", "", ""), f.String("inputs", "", "")
	label, skill := f.String("label", "", ""), f.String("skill", "", "")
	command, timeout, wait := f.String("llm-command", "", ""), f.Float64("timeout", 0, ""),
		f.Float64("wait", waitForPerson.Seconds(), "")
	asJSON, quiet := f.Bool("json", false, ""), f.Bool("quiet", false, "")
	var files localFiles
	f.Func("file", "", files.addInput)
	f.StringVar(&files.out, "out", "", "")
	rest, err := f.Parse(c.Out, args, "[SCRIPT]")
	if err != nil {
		return nil, err
	}
	if (len(rest) == 1) == (*skill != "") {
		return nil, cli.UsageError{Message: "run: name a SCRIPT, or a skill with --skill"}
	}
	api, id, err := Connect(c, *url, *profile)
	if err != nil {
		return nil, err
	}
	if *wait < 0 || *wait > (24*time.Hour).Seconds() {
		return nil, cli.UsageError{Message: "--wait takes seconds, from 0 to 86400"}
	}
	j := &job{
		Console: cli.Console{In: c.In, Out: screen(c.Out), Err: screen(c.Err), Env: c.Env}, own: c.Err,
		agent: agent{api, id}, llmCommand: *command,
		patience: time.Duration(*wait * float64(time.Second)), json: *asJSON, quiet: *quiet, started: time.Now(),
	}
	j.request.Label, j.request.Skill, j.files = *label, *skill, files
	if cli.Given(f, "timeout") {
		j.request.Timeout = timeout
	}
	for _, script := range rest {
		if err := j.readScript(script); err != nil {
			return nil, err
		}
	}
	return j, j.readInputs(*inputs)
}

func (j *job) readScript(path string) (err error) {
	if j.request.Script, err = readSource(j.In, path); err != nil {
		return err
	}
	return checkEncoding(path, j.request.Script)
}

func (j *job) readInputs(inputs string) error {
	if inputs == "" {
		return nil
	}
	text, err := readSource(j.In, inputs)
	if err != nil {
		return err
	}
	if !utf8.ValidString(text) {
		return cli.UsageError{Message: inputs + " is not UTF-8; save it as UTF-8"}
	}
	if !json.Valid([]byte(text)) {
		return cli.UsageError{Message: inputs + " is not JSON"}
	}
	j.request.Inputs = json.RawMessage(text)
	return nil
}

// readSource reads a file, or stdin for "-". It only guards memory; Airlock refuses large scripts.
func readSource(in io.Reader, path string) (string, error) {
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
	return strings.TrimPrefix(string(data), "\ufeff"), nil
}

var codingLine = regexp.MustCompile(`\A(?:[ \t\f]*(?:#.*)?\r?\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)`)

func checkEncoding(name, script string) error {
	if !utf8.ValidString(script) {
		return cli.UsageError{Message: name + " is not UTF-8; save it as UTF-8, without a coding line"}
	}
	declared := codingLine.FindStringSubmatch(script)
	if declared == nil || strings.IndexFunc(script, func(r rune) bool { return r > unicode.MaxASCII }) < 0 {
		return nil
	}
	switch strings.ReplaceAll(strings.ToLower(declared[1]), "_", "-") {
	case "utf-8", "utf8", "utf-8-sig", "utf-8-unix":
		return nil
	}
	return cli.UsageError{Message: name + " declares the encoding " + app.Clip(declared[1], 40) +
		" and is UTF-8; remove its coding line"}
}
