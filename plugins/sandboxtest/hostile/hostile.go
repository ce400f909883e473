// Package hostile holds scripts that try to break out of a box, one file a case. The top of each
// states the expected outcome.
//
// A case is plain Python that runs after prelude.py. Its first comment line is its id and its
// attempt. The lines "# name: value" after it change the expectation of a completed execution with
// the result "held". "# decided-by:" names the part of Airlock that decides, whatever the backend:
// make test runs such a case on the default backend only.
package hostile

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed *.py
var files embed.FS

// Case is one hostile script.
type Case struct {
	Name    string // of the file, without .py
	Title   string // id and what it tries
	Script  string // prelude and case
	Status  []string
	Error   string // has to be in the error text
	Not     string // must not be in the error text
	Hosts   []string
	Timeout time.Duration // run clock; a minute if the case names none
	Within  time.Duration // wall time until the status is terminal; the timeout and 20 s if the case names none
	Profile string        // another word means another profile; cases share one if they name none
	Less    string        // what holds on the restricted tier, if that is less or other than on the full one
	Pair    string        // name of a case to run at the same time
	Decider string        // egress, redactor or runner decides on every backend alike; "" if the backend may
}

const prelude = "prelude.py"

// For returns the case, for the restricted tier's smaller promises if restricted is true.
func (c Case) For(restricted bool) Case {
	if restricted {
		c.Script = strings.Replace(c.Script, "\nRESTRICTED = False", "\nRESTRICTED = True", 1)
	}
	return c
}

// Cases returns all cases by name.
func Cases() ([]Case, error) {
	names, err := fs.Glob(files, "*.py")
	if err != nil {
		return nil, err
	}
	before, err := files.ReadFile(prelude)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, name := range names {
		if name == prelude {
			continue
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c, err := parse(strings.TrimSuffix(name, ".py"), string(text))
		if err != nil {
			return nil, err
		}
		c.Script = string(before) + "\n" + string(text)
		cases = append(cases, c)
	}
	return cases, nil
}

func parse(name, text string) (Case, error) {
	c := Case{Name: name, Status: []string{"completed"}, Timeout: time.Minute}
	for i, line := range strings.Split(text, "\n") {
		comment, ok := strings.CutPrefix(line, "# ")
		if !ok {
			break
		}
		if i == 0 {
			c.Title = comment
			continue
		}
		field, value, _ := strings.Cut(comment, ": ")
		if err := c.set(field, value); err != nil {
			return Case{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	if c.Title == "" {
		return Case{}, fmt.Errorf("%s: the first line must say what the case tries", name)
	}
	if c.Within == 0 {
		c.Within = c.Timeout + 20*time.Second
	}
	return c, nil
}

func (c *Case) set(field, value string) (err error) {
	switch field {
	case "status":
		c.Status = strings.Fields(value)
	case "error":
		c.Error = value
	case "not-error":
		c.Not = value
	case "hosts":
		c.Hosts = append(c.Hosts, strings.Fields(value)...) // on several lines if they are many
		slices.Sort(c.Hosts)
	case "timeout":
		c.Timeout, err = seconds(value)
	case "within":
		c.Within, err = seconds(value)
	case "profile":
		c.Profile = value
	case "restricted":
		c.Less = value
	case "pair":
		c.Pair = value
	case "decided-by":
		c.Decider = value
	case "llm_wait": // documents that the case needs a short wait for the answer; the whole run has one
	default:
		err = fmt.Errorf("field %q is not known", field)
	}
	return err
}

func seconds(value string) (time.Duration, error) {
	n, err := strconv.Atoi(value)
	return time.Duration(n) * time.Second, err
}
