package views

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

func TestStory(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(1700000000000 + int64(ms)) }
	x := app.Execution{Status: app.StatusCompleted, CreatedAt: at(0), StartedAt: at(100), FirstOutputAt: at(300), CompletedAt: at(1000), RunTime: 500 * time.Millisecond}
	s := storyOf(x, []app.LLMExchange{{AskedAt: at(400), AnsweredAt: at(800)}}, at(5000))
	if diff := cmp.Diff([]stretch{{"queued", "0.0", "100.0"}, {"ran", "100.0", "900.0"}, {"asked", "400.0", "400.0"}}, s.parts, cmp.AllowUnexported(stretch{})); diff != "" {
		t.Error(diff)
	}
	var told []string
	for _, m := range s.moments {
		told = append(told, strings.ReplaceAll(m.after+" "+m.what, "\u00a0", " "))
	}
	want := []string{"0 ms sent", "+100 ms started, after 100 ms in the queue", "+300 ms first output", "+400 ms asked the LLM, answered after 400 ms", "+1 s completed, after running 500 ms"}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	x = app.Execution{Status: app.StatusAwaitingLLM, CreatedAt: at(0), StartedAt: at(100)}
	if s = storyOf(x, []app.LLMExchange{{AskedAt: at(500)}}, at(1000)); s.finished || s.parts[2].w != "500.0" || s.moments[2].what != "asked the LLM, waits" {
		t.Errorf("while it waits: %+v", s)
	}
	if s = storyOf(app.Execution{Status: app.StatusCancelled, CreatedAt: at(0), CompletedAt: at(0)}, nil, at(0)); len(s.moments) != 2 {
		t.Errorf("cancelled in the queue: %+v", s)
	}
}

// TestTraced: only lines that the script has are linked, and no character of the text is lost.
func TestTraced(t *testing.T) {
	text := "Traceback\n  File \"script.py\", line 4, in <module>\n  File \"script.py\", line 99, in f\n  File \"script.py\", line \n  File \"script.py\", line 00000000000000000001\n  File \"/usr/x.py\", line 2\nKeyError"
	var whole strings.Builder
	var lines []int
	for _, p := range traced(text, 7) {
		whole.WriteString(p.text)
		if p.line > 0 {
			lines = append(lines, p.line)
		}
	}
	if whole.String() != text {
		t.Errorf("it became %q", whole.String())
	}
	if diff := cmp.Diff([]int{4}, lines); diff != "" {
		t.Error(diff)
	}
}

func FuzzTraced(f *testing.F) {
	f.Add("File \"script.py\", line 4", 7)
	f.Fuzz(func(t *testing.T, text string, lines int) {
		var whole strings.Builder
		for _, p := range traced(text, lines) {
			whole.WriteString(p.text)
			if p.line > max(lines, 0) { // 0 is a piece that leads nowhere
				t.Errorf("line %d of %d", p.line, lines)
			}
		}
		if whole.String() != text {
			t.Errorf("%q became %q", text, whole.String())
		}
	})
}

// TestInOrder: the two streams stand as they took turns; nothing is lost whatever the turns claim.
func TestInOrder(t *testing.T) {
	for _, turns := range [][]int{{2, 1, 2, 3}, {1}, {99, 99}, {-5, 2}, {0, 0, 0, 4}, {4, 4, 4, 4, 4}} {
		p := ExecutionPage{Stdout: "aabb", Stderr: "EFFF", Turns: turns}
		var out, errs strings.Builder
		for _, s := range inOrder(p) {
			if s.stderr {
				errs.WriteString(s.text)
			} else {
				out.WriteString(s.text)
			}
		}
		if out.String() != p.Stdout || errs.String() != p.Stderr {
			t.Errorf("%v: %q and %q", turns, out.String(), errs.String())
		}
	}
	want := []said{{false, "aa"}, {true, "E"}, {false, "bb"}, {true, "FFF"}}
	if diff := cmp.Diff(want, inOrder(ExecutionPage{Stdout: "aabb", Stderr: "EFFF", Turns: []int{2, 1, 2, 3}}), cmp.AllowUnexported(said{})); diff != "" {
		t.Error(diff)
	}
	if inOrder(ExecutionPage{Stdout: "a", Turns: []int{1}}) != nil || inOrder(ExecutionPage{Stdout: "a", Stderr: "b"}) != nil {
		t.Error("there is no order to show")
	}
}

func TestTree(t *testing.T) {
	root, ok := treeOf(json.RawMessage(`{"z":1,"a":[true,null,"x"],"big":12345678901234567890.10}`))
	if !ok || len(root.children) != 3 || root.children[0].key != "z" || root.children[1].summary() != "3 items" || root.children[2].value != "12345678901234567890.10" {
		t.Errorf("%v %+v", ok, root)
	}
	wide, ok := treeOf(json.RawMessage("[" + strings.TrimSuffix(strings.Repeat("1,", 5000), ",") + "]"))
	if !ok || len(wide.children) != treeWide || wide.more != 5000-treeWide {
		t.Errorf("%v, %d children and %d more", ok, len(wide.children), wide.more)
	}
	for name, text := range map[string]string{"deep": strings.Repeat("[", 30) + strings.Repeat("]", 30), "large": "[" + strings.TrimSuffix(strings.Repeat(`[1,2,3,4,5,6,7,8,9,10],`, 190), ",") + "]", "broken": `{"a":`, "empty": ""} {
		if _, ok := treeOf(json.RawMessage(text)); ok {
			t.Errorf("%s: it is shown as a tree", name)
		}
	}
}

func TestDiff(t *testing.T) {
	rows, same, over := diffOf("a\nb\nc\n", "a\nB\nB2\nc\n")
	want := []diffRow{
		{left: diffCell{1, "a", false}, right: diffCell{1, "a", false}}, {left: diffCell{2, "b", true}, right: diffCell{2, "B", true}},
		{right: diffCell{3, "B2", true}}, {left: diffCell{3, "c", false}, right: diffCell{4, "c", false}},
	}
	if diff := cmp.Diff(want, rows, cmp.AllowUnexported(diffRow{}, diffCell{})); diff != "" || same || over {
		t.Errorf("same %v, over %v: %s", same, over, diff)
	}
	if _, same, _ = diffOf("x", "x"); !same {
		t.Error("the same is not the same")
	}
	if rows, _, _ = diffOf("", "x"); len(rows) != 1 || rows[0].left.number != 0 || rows[0].right.text != "x" {
		t.Errorf("from nothing: %+v", rows)
	}
	rows, _, over = diffOf(strings.Repeat("a\n", 200000), strings.Repeat("b\n", 200000))
	if !over || len(rows) > diffRows {
		t.Errorf("%d rows, over %v", len(rows), over)
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1204441: "1,204,441", -1234: "-1,234"} {
		if got := Number(n); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
	for share, want := range map[float64]string{0: "0", 0.0004: "<0.1", 0.031: "3.1", 0.5: "50", 1: "100"} {
		if got := Percent(share); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}
