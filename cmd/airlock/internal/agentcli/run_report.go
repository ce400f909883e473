package agentcli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// report prints the execution's outcome and returns the exit code. The result comes last on stdout.
func (j *job) report(x execution) int {
	if j.json {
		fmt.Fprintln(j.Out, strings.TrimRight(string(x.whole), "\n"))
		return codeOf(x.Status)
	}
	relay(j.Out, x.Stdout)
	relay(j.Err, x.Stderr)
	seen := map[string]bool{}
	for _, n := range x.Network {
		if line := n.refusal(); n.Verdict == string(app.VerdictDenied) && !seen[line] {
			seen[line] = true
			fmt.Fprintln(j.Err, "airlock: "+line)
		}
	}
	if x.Truncated {
		fmt.Fprintln(j.Err, "airlock: the output was cut")
	}
	for _, text := range x.Warnings {
		fmt.Fprintln(j.Err, "airlock: "+cli.Printable(text))
	}
	switch x.Status {
	case app.StatusCompleted:
		fmt.Fprintln(j.Out, string(x.Result))
	case app.StatusError:
		relay(j.Err, x.Traceback)
		if _, rest, more := strings.Cut(x.Error, "\n"); more && x.Traceback != "" {
			relay(j.Err, rest)
		}
		fallthrough
	default:
		reason := strings.TrimPrefix(x.reason(), string(x.Status)+": ")
		if x.Status == app.StatusCancelled { // "cancelled by the agent"
			reason = strings.TrimPrefix(reason, "cancelled ")
		}
		fmt.Fprintf(j.Err, "airlock: %s: %s\n", cli.Printable(string(x.Status)), cli.Printable(reason))
	}
	return codeOf(x.Status)
}

// reason says why it did not complete, in short if the traceback says it in full.
func (x execution) reason() string {
	if x.Traceback == "" {
		return x.Error
	}
	short, _, _ := strings.Cut(x.Error, "\n")
	return short
}

// refusal says what traffic Airlock refused, and what to do: a readable request or a connection.
func (n connection) refusal() string {
	what, place := "no connection to ", n.Host
	if n.Port != 0 {
		place = net.JoinHostPort(n.Host, strconv.Itoa(n.Port))
	}
	if n.Method != "" {
		what = "refused " + n.Method + " " + n.Path + " to "
		place += n.reason()
	}
	if n.Line != 0 {
		place += fmt.Sprintf(", line %d", n.Line)
	}
	return cli.Printable(cli.Joined(": ", what+place, n.Hint))
}

// reason returns the rule that refused a request, and the keys in it.
func (n connection) reason() string {
	var why []string
	if n.Rule != "" {
		why = append(why, "rule "+n.Rule)
	}
	if len(n.Credentials) > 0 {
		why = append(why, "with "+strings.Join(n.Credentials, ", "))
	}
	if len(why) == 0 {
		return ""
	}
	return " (" + strings.Join(why, ", ") + ")"
}

func codeOf(status app.Status) int {
	switch status {
	case app.StatusCompleted:
		return cli.ExitOK
	case app.StatusTimeout:
		return exitTimeout
	case app.StatusCancelled:
		return exitCancelled
	}
	return cli.ExitError
}

// fail explains why there is no execution and returns the exit code.
func (j *job) fail(err error) int {
	why, code := &app.Error{}, exitUnreachable
	var person needsPerson
	var wrong cli.UsageError
	switch {
	case errors.As(err, &wrong):
		why, code = wrongUsage(wrong), cli.ExitUsage
	case errors.As(err, &person):
		why, code = person.refused, exitPerson
	case errors.As(err, &why):
		code = exitRefused
	case errors.Is(err, errCancelled):
		why, code = app.E("cancelled", err.Error(), "Run it again."), exitCancelled
	default:
		why = app.E(app.CodeUnreachable, err.Error(), "Check --url or AIRLOCK_URL, and that the instance runs.")
	}
	if j.json {
		j.failJSON(why, person)
		return code
	}
	fmt.Fprintf(j.Err, "airlock: %s (%s)\n  %s\n", cli.Printable(why.Message), why.Code, cli.Printable(why.Hint))
	return code
}

// failEarly reports a wrong command. With --json stdout gets an error in the usual shape.
func failEarly(c cli.Console, args []string, err error) int {
	code := c.Finish(err)
	asked := slices.ContainsFunc(args, func(arg string) bool {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		return strings.HasPrefix(arg, "-") && name == "json" && value != "false"
	})
	if code != cli.ExitOK && asked {
		j := job{Console: c}
		j.failJSON(wrongUsage(err), needsPerson{})
	}
	return code
}

func wrongUsage(err error) *app.Error { return app.E("usage", err.Error(), "Run airlock run --help.") }

// failJSON prints an error in the API's shape, with a link for the person.
func (j *job) failJSON(why *app.Error, person needsPerson) {
	body := map[string]any{"error": why}
	if person.approval != "" {
		body["approval_url"], body["execution_id"] = person.approval, person.execution
	}
	if person.link != "" {
		body["setup_url"], body["pairing_code"] = person.link, person.pairing
	}
	_ = json.NewEncoder(j.Out).Encode(body) // nobody reads it if this fails
}

// screen makes foreign text harmless for a terminal. It can't move the cursor, hide or change text.
func screen(w io.Writer) io.Writer {
	if cli.IsTerminal(w) {
		return plainText{w}
	}
	return w
}

// plainText escapes unprintable characters but line ends and tabs.
type plainText struct{ io.Writer }

func (p plainText) Write(text []byte) (int, error) {
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i, line := range lines {
		cells := strings.Split(line, "\t")
		for n := range cells {
			cells[n] = cli.Printable(cells[n])
		}
		lines[i] = strings.Join(cells, "\t")
	}
	if _, err := io.WriteString(p.Writer, strings.Join(lines, "\n")); err != nil {
		return 0, err
	}
	return len(text), nil
}

func relay(w io.Writer, text string) {
	if text != "" {
		fmt.Fprint(w, text)
		if !strings.HasSuffix(text, "\n") {
			fmt.Fprintln(w)
		}
	}
}
