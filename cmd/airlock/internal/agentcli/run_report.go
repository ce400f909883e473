package agentcli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
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
	if x.Status == app.StatusCompleted {
		fmt.Fprintln(j.Out, string(x.Result))
		return cli.ExitOK
	}
	reason, more := strings.TrimPrefix(x.Error, string(x.Status)+": "), ""
	if x.Traceback != "" {
		reason, more, _ = strings.Cut(reason, "\n")
	}
	relay(j.Err, x.Traceback)
	relay(j.Err, more)
	fmt.Fprintf(j.Err, "airlock: %s: %s\n", cli.Printable(string(x.Status)), cli.Printable(reason))
	return codeOf(x.Status)
}

// refusal says what traffic Airlock refused, and what to do: a readable request or a connection.
func (n connection) refusal() string {
	what, place := "no connection to ", n.Host
	if n.Port != 0 {
		place = net.JoinHostPort(n.Host, strconv.Itoa(n.Port))
	}
	if n.Method != "" {
		what = "refused " + n.Method + " " + n.Path + " to "
	}
	if n.Line != 0 {
		place += fmt.Sprintf(", line %d", n.Line)
	}
	return cli.Printable(cli.Join(": ", what+place, n.Hint))
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
	switch {
	case errors.As(err, &cli.UsageError{}):
		return j.Finish(err)
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
		body := map[string]any{"error": why}
		for name, text := range person.more {
			body[name] = text
		}
		_ = json.NewEncoder(j.Out).Encode(body) // nobody reads it if this fails
		return code
	}
	_ = j.Finish(why)
	return code
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
