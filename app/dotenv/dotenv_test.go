package dotenv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
)

// shown is an entry with its value in sight.
type shown struct {
	Name, Value string
	Line        int
}

func open(entries []Entry) []shown {
	var list []shown
	for _, e := range entries {
		list = append(list, shown{e.Name, e.Value.Reveal(), e.Line})
	}
	return list
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text     string
		want     []shown
		problems []int // lines
	}{
		"empty":    {"", nil, nil},
		"comments": {"# one\n\n  # two\r\n", nil, nil},
		"plain":    {"A=1\nB = two words \nC=", []shown{{"A", "1", 1}, {"B", "two words", 2}, {"C", "", 3}}, nil},
		"export": {"export A=1\n export\tB=2\nexport=3\nexported=4",
			[]shown{{"A", "1", 1}, {"B", "2", 2}, {"export", "3", 3}, {"exported", "4", 4}}, nil},
		"comment at the end": {"A=b # c\nB=b#c\nC=# c\nD='x' # c\nE=\"x\"\t#c",
			[]shown{{"A", "b", 1}, {"B", "b#c", 2}, {"C", "", 3}, {"D", "x", 4}, {"E", "x", 5}}, nil},
		"quotes": {`A='a "b" \n $X'` + "\nB=`it's`\n" + `C="a\n\t\"b\" \\ \$X"`,
			[]shown{{"A", `a "b" \n $X`, 1}, {"B", "it's", 2}, {"C", "a\n\t\"b\" \\ $X", 3}}, nil},
		"several lines": {"A=\"-----BEGIN X-----\nabc\n-----END X-----\n\"\nB='1\n2'\nC=3",
			[]shown{{"A", "-----BEGIN X-----\nabc\n-----END X-----\n", 1}, {"B", "1\n2", 5}, {"C", "3", 7}}, nil},
		"equals": {"A=b=c==\nURL=postgres://u:p@h/db?x=y",
			[]shown{{"A", "b=c==", 1}, {"URL", "postgres://u:p@h/db?x=y", 2}}, nil},
		"windows":         {"\ufeffA=1\r\nB='x\r\ny'\r\n", []shown{{"A", "1", 1}, {"B", "x\ny", 2}}, nil},
		"no equals":       {"A\nB=1\nC: 2", []shown{{"B", "1", 2}}, []int{1, 3}},
		"bad names":       {"2A=1\nA-B=1\nA B=1\n=1\nÄ=1\nOK=1", []shown{{"OK", "1", 6}}, []int{1, 2, 3, 4, 5}},
		"unclosed":        {"A='x\nB=1", []shown{{"B", "1", 2}}, []int{1}},
		"after the quote": {"A='x'y\nB=\"x\"#y\nC=1", []shown{{"C", "1", 3}}, []int{1, 2}},
		"unknown escape":  {`A="a\d"` + "\nB=1", []shown{{"B", "1", 2}}, []int{1}},
		"twice":           {"A=1\nA=2", []shown{{"A", "1", 1}}, []int{2}},
		"a bare key":      {"KEY=-----BEGIN X-----\nabcd\n-----END X-----", nil, []int{1, 2, 3}},
		"not text":        {"A=\xff", nil, []int{0}},
		"nul":             {"A=a\x00b", nil, []int{0}},
		"too long":        {strings.Repeat("#", MaxText+1), nil, []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			entries, problems := Parse(c.text)
			if diff := cmp.Diff(c.want, open(entries)); diff != "" {
				t.Error(diff)
			}
			var lines []int
			for _, p := range problems {
				lines = append(lines, p.Line)
			}
			if diff := cmp.Diff(c.problems, lines); diff != "" {
				t.Errorf("%s%v", diff, problems)
			}
		})
	}
}

func TestExpands(t *testing.T) {
	for text, want := range map[string]bool{
		"A=$HOME": true, "A=${X}": true, "A=a$(b)": true, "A='$HOME'": false, "A=5$": false, "A=a$1": false, `A="x $Y"`: true,
		`A="x \$Y"`: false, "A=pa$$": false,
	} {
		entries, _ := Parse(text)
		if len(entries) != 1 || entries[0].Expands != want {
			t.Errorf("%s: %v", text, entries)
		}
	}
}

func TestManyEntries(t *testing.T) {
	var b strings.Builder
	for i := range MaxEntries + 1 {
		fmt.Fprintf(&b, "K%d=v\n", i)
	}
	if entries, problems := Parse(b.String()); len(entries) != MaxEntries || len(problems) != 1 {
		t.Errorf("%d entries, %d problems", len(entries), len(problems))
	}
	if _, problems := Parse(strings.Repeat("nonsense\n", 1000)); len(problems) != maxProblems {
		t.Errorf("%d problems", len(problems))
	}
}

// TestWhatIsWrittenIsRead: every value that single or double quotes can hold comes back as it was.
func TestWhatIsWrittenIsRead(t *testing.T) {
	escape := strings.NewReplacer("\\", `\\`, `"`, `\"`, "$", `\$`)
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringMatching(`[ -~\n\tä€]{0,80}`).Draw(t, "value")
		texts := []string{`NAME="` + escape.Replace(value) + `"`}
		if !strings.Contains(value, "'") {
			texts = append(texts, "export NAME='"+value+"' # note")
		}
		for _, text := range texts {
			entries, problems := Parse("BEFORE=1\n" + text + "\nAFTER=2")
			if len(problems) != 0 || len(entries) != 3 || entries[1].Value.Reveal() != value ||
				entries[2].Value.Reveal() != "2" {
				t.Fatalf("%q: %v %v", text, open(entries), problems)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"A=1\nB='x\ny'", `A="\n\$"`, "export A=`x` # y", "A=\"\\", "A='", "# c\r\nA = b # c",
		"A=$X"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		entries, problems := Parse(text)
		seen := map[string]bool{}
		for _, e := range entries {
			if app.CheckName(e.Name) != nil || seen[e.Name] || e.Line < 1 || e.Line > strings.Count(text, "\n")+1 ||
				strings.ContainsRune(e.Value.Reveal(), 0) {
				t.Errorf("entry %q in line %d", e.Name, e.Line)
			}
			seen[e.Name] = true
		}
		for _, p := range problems {
			for _, e := range entries {
				if v := e.Value.Reveal(); len(v) > 30 && strings.Contains(p.Message, v) {
					t.Error("a problem repeats a value")
				}
			}
		}
	})
}
