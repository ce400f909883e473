package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Flags is a flag.FlagSet that accepts flags anywhere among the arguments.
type Flags struct {
	*flag.FlagSet
	usage string
}

// NewFlags starts a command's flags. usage: its help text.
func NewFlags(name, usage string) *Flags {
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	return &Flags{set, UsageOf(usage, name)}
}

// UsageOf returns a help text's part about one command or group. A name of one word gets all of it.
func UsageOf(usage, name string) string {
	_, command, sub := strings.Cut(name, " ")
	head, _, _ := strings.Cut(usage, "\n")
	if !sub {
		return usage
	}
	text, inside := head+"\n\n", false
	for line := range strings.Lines(usage) {
		if !strings.HasPrefix(line, "    ") { // not one about the command before
			inside = strings.HasPrefix(strings.TrimSuffix(line, "\n")+" ", "  "+command+" ")
		}
		if inside {
			text += line
		}
	}
	return text
}

// List adds a flag that can be given several times.
func (f *Flags) List(name string) *[]string {
	var values []string
	f.Func(name, "", func(v string) error {
		values = append(values, v)
		return nil
	})
	return &values
}

// Parse returns the other arguments, one for each name in want; bracketed ones at the end may be
// missing. Help goes to out and ends in errHelp.
func (f *Flags) Parse(out io.Writer, args []string, want ...string) ([]string, error) {
	var rest []string
	for {
		if err := f.FlagSet.Parse(args); err != nil {
			if errors.Is(err, flag.ErrHelp) {
				fmt.Fprint(out, f.usage)
				return nil, errHelp
			}
			return nil, UsageError{Message: f.Name() + ": " + err.Error(), usage: f.usage}
		}
		if f.NArg() == 0 {
			break
		}
		rest = append(rest, f.Arg(0))
		args = f.Args()[1:]
	}
	switch {
	case len(rest) < len(want) && !strings.HasPrefix(want[len(rest)], "["):
		return nil, UsageError{Message: f.Name() + ": " + want[len(rest)] + " is missing", usage: f.usage}
	case len(rest) > len(want):
		return nil, UsageError{Message: fmt.Sprintf("%s: %q is one argument too many", f.Name(),
			app.Clip(rest[len(want)], 40)), usage: f.usage}
	}
	return rest, nil
}

// Pick runs the subcommand that begins args. usage: the help text with name.
func Pick(name, usage string, out io.Writer, args []string, commands map[string]func([]string) error) error {
	usage = UsageOf(usage, name)
	if len(args) == 0 {
		return UsageError{Message: name + ": which command?", usage: usage}
	}
	if args[0] == "--help" || args[0] == "-h" || args[0] == "help" {
		fmt.Fprint(out, usage)
		return errHelp
	}
	if command, ok := commands[args[0]]; ok {
		return command(args[1:])
	}
	known := make([]string, 0, len(commands))
	for c := range commands {
		known = append(known, c)
	}
	message := fmt.Sprintf("%s: there is no %q", name, app.Clip(args[0], 40))
	if guess := app.Nearest(args[0], known); guess != "" {
		message += "; did you mean " + guess + "?"
	}
	return UsageError{Message: message + " (airlock " + name + " --help)"}
}

// Given reports whether a flag was typed.
func Given(f *Flags, name string) bool {
	found := false
	f.Visit(func(fl *flag.Flag) { found = found || fl.Name == name })
	return found
}
