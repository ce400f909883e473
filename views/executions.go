package views

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
)

// Took is how long an execution ran, or has been there.
func Took(x app.Execution) string {
	if x.StartedAt.IsZero() {
		return ""
	}
	if x.Status.Terminal() {
		return Span(x.RunTime)
	}
	return ""
}

// Rare reports whether one of the conditions is set that are folded away.
func (f ExecutionFilter) Rare() bool {
	return f.From != "" || f.To != "" || f.Credential != "" || f.Host != ""
}

// Verdict is the sentence on top of an execution.
func Verdict(x app.Execution) string {
	switch x.Status {
	case app.StatusPending:
		return "Waits for a free slot."
	case app.StatusRunning:
		return "The script is running."
	case app.StatusAwaitingLLM:
		return "The script asked a question and waits for the answer."
	case app.StatusCompleted:
		return "The script ran to its end."
	case app.StatusTimeout:
		return "The script was stopped when its time was over."
	case app.StatusCancelled:
		return "The script was stopped on request."
	}
	return "The script did not complete."
}

// ScriptLine is one numbered line of a script.
type ScriptLine struct {
	Text    string
	Failing bool
}

func scriptLines(script string, failing int) []ScriptLine {
	script = strings.TrimSuffix(strings.ReplaceAll(script, "\r\n", "\n"), "\n")
	parts := strings.Split(script, "\n")
	lines := make([]ScriptLine, len(parts))
	for i, text := range parts {
		lines[i] = ScriptLine{Text: plainly(text), Failing: i+1 == failing}
	}
	return lines
}

// plainly names the characters of a script that would show others in another order than that in which they run.
func plainly(script string) string {
	turns := func(r rune) bool { return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' }
	if !strings.ContainsFunc(script, turns) {
		return script
	}
	var b strings.Builder
	for _, r := range script {
		if turns(r) {
			fmt.Fprintf(&b, "⟨%U⟩", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Pretty is JSON with indentation, or the text as it is if it isn't JSON.
func Pretty(data json.RawMessage) string {
	var buf bytes.Buffer
	if err := json.Indent(&buf, data, "", "  "); err != nil {
		return string(data)
	}
	return buf.String()
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

// lastLine is the last line of an error that says something, which in a traceback is the error itself.
func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return app.Clip(strings.TrimSpace(lines[len(lines)-1]), 160)
}

func boxWords(x app.Execution) string {
	if x.Backend == "" {
		return "not started"
	}
	words := x.Backend + ", " + x.Isolation
	if x.Warm {
		words += ", warm"
	}
	return words
}

// fact is one line of a manifest.
type fact struct{ name, value string }

func manifestFacts(m app.Manifest) []fact {
	all := []fact{
		{"Script", m.Script}, {"Inputs", m.Inputs}, {"LLM answers", m.LLM}, {"Runner", m.Runner}, {"Python", m.Python},
		{"Packages", m.Packages}, {"Runtime", m.Runtime}, {"Policy", m.Policy}, {"Result", m.ResultHash},
	}
	var known []fact
	for _, f := range all {
		if f.value != "" {
			known = append(known, f)
		}
	}
	if m.Limits.Memory > 0 {
		known = append(known, fact{"Limits", Bytes(m.Limits.Memory) + " memory, " + strconv.FormatFloat(m.Limits.CPU, 'g', -1, 64) + " CPU, " +
			strconv.FormatInt(m.Limits.Pids, 10) + " processes, " + Bytes(m.Limits.Tmp) + " temporary files"})
	}
	return known
}

// refreshing makes a list ask for itself again when an execution changes. Older pages stand still, so nothing moves under the reader.
func refreshing(first bool, here string) templ.Attributes {
	if !first {
		return nil
	}
	return templ.Attributes{"hx-get": here, "hx-trigger": "executions from:body, connected from:body", "hx-swap": "innerMorph", "hx-target": "this"}
}

// follow makes an execution's page keep up while it is not terminal.
func follow(x app.Execution) templ.Attributes {
	if x.Status.Terminal() {
		return nil
	}
	return templ.Attributes{"hx-get": ExecutionURL(x.Handle), "hx-trigger": "execution/" + x.Handle + " from:body, connected from:body", "hx-swap": "innerMorph", "hx-target": "this"}
}

// answered are the exchanges that are over.
func answered(all []app.LLMExchange) []app.LLMExchange {
	var over []app.LLMExchange
	for _, e := range all {
		if !e.AnsweredAt.IsZero() {
			over = append(over, e)
		}
	}
	return over
}
