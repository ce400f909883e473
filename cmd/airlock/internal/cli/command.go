package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Commands are those of a program, by synopsis: "profile lock ID --expires= --yes" has the name
// "profile lock", an argument and two flags. A flag with = takes a value; an argument in brackets
// may be missing.
type Commands map[string]func(context.Context, Args) error

// nameOf returns the words of a synopsis that call the command.
func nameOf(synopsis string) []string {
	words := strings.Fields(synopsis)
	isName := func(w string) bool { return strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-") == "" && w[0] != '-' }
	if end := slices.IndexFunc(words, func(w string) bool { return !isName(w) }); end >= 0 {
		return words[:end]
	}
	return words
}

// Args are the parsed arguments of a command.
type Args struct {
	Rest  []string            // without flags
	flags map[string][]string // values by each flag of the synopsis
}

// List returns all values of a flag. The synopsis must have it.
func (a Args) List(flag string) []string {
	values, ok := a.flags[flag]
	if !ok {
		panic("cli: no flag --" + flag)
	}
	return values
}

// IsGiven reports whether a flag was typed.
func (a Args) IsGiven(flag string) bool { return len(a.List(flag)) > 0 }

// Text returns a flag's last value, or "".
func (a Args) Text(flag string) string {
	if !a.IsGiven(flag) {
		return ""
	}
	return a.flags[flag][len(a.flags[flag])-1]
}

// On reports whether a flag without value is on.
func (a Args) On(flag string) bool { on, _ := strconv.ParseBool(a.Text(flag)); return on }

// Choose finds the command that begins args, and parses the rest. usage is the program's help.
func Choose(out io.Writer, program, usage string, all Commands, args []string) (
	name string, run func(context.Context) error, err error) {
	for called := []string(nil); ; {
		name := strings.TrimSpace(program + " " + strings.Join(called, " "))
		var next []string
		for synopsis, run := range all {
			words := nameOf(synopsis)
			if slices.Equal(words, called) {
				a, err := Parse(out, program+" "+synopsis, usage, args)
				return strings.Join(called, " "), func(ctx context.Context) error { return run(ctx, a) }, err
			}
			if len(words) > len(called) && slices.Equal(words[:len(called)], called) {
				next = append(next, words[len(called)])
			}
		}
		switch {
		case len(args) == 0:
			return "", nil, UsageError{Message: name + ": which command?", usage: usageOf(usage, name)}
		case slices.Contains([]string{"--help", "-h", "help"}, args[0]):
			fmt.Fprint(out, usageOf(usage, name))
			return "", nil, errHelp
		case !slices.Contains(next, args[0]):
			message := fmt.Sprintf("%s: there is no %q", name, app.Clip(args[0], 40))
			if guess := app.Nearest(args[0], next); guess != "" {
				message += "; did you mean " + guess + "?"
			}
			return "", nil, UsageError{Message: message + " (airlock " + name + " --help)"}
		}
		called, args = append(called, args[0]), args[1:]
	}
}

// Parse reads args by a synopsis. Flags may stand anywhere. Help goes to out and ends in errHelp.
func Parse(out io.Writer, synopsis, usage string, args []string) (Args, error) {
	words := nameOf(synopsis)
	name := strings.Join(words, " ")
	set := flag.NewFlagSet(name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	a, want := declare(set, strings.Fields(synopsis)[len(words):])
	wrong := func(text string) (Args, error) {
		return a, UsageError{Message: name + ": " + text, usage: usageOf(usage, name)}
	}
	for len(args) > 0 {
		err := set.Parse(args)
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(out, usageOf(usage, name))
			return a, errHelp
		}
		if err != nil {
			return wrong(err.Error())
		}
		if set.NArg() == 0 {
			break
		}
		a.Rest, args = append(a.Rest, set.Arg(0)), set.Args()[1:]
	}
	switch {
	case len(a.Rest) < len(want) && want[len(a.Rest)][0] != '[':
		return wrong(want[len(a.Rest)] + " is missing")
	case len(a.Rest) > len(want):
		return wrong(fmt.Sprintf("%q is one argument too many", app.Clip(a.Rest[len(want)], 40)))
	}
	return a, nil
}

// declare adds the flags of a synopsis to set, and returns the names of the arguments.
func declare(set *flag.FlagSet, words []string) (a Args, want []string) {
	a.flags = map[string][]string{}
	for _, word := range words {
		name, isFlag := strings.CutPrefix(word, "--")
		if !isFlag {
			want = append(want, word)
			continue
		}
		name, valued := strings.CutSuffix(name, "=")
		a.flags[name] = nil
		keep := func(v string) error { a.flags[name] = append(a.flags[name], v); return nil }
		if valued {
			set.Func(name, "", keep)
			continue
		}
		set.BoolFunc(name, "", func(v string) error {
			_, err := strconv.ParseBool(v)
			return errors.Join(err, keep(v))
		})
	}
	return a, want
}

// usageOf returns a help text's part about one command or group. A name of one word gets all of it.
func usageOf(usage, name string) string {
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
