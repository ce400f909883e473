package transfer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestNamesOfMembers(t *testing.T) {
	for line, want := range map[string]error{
		`{"a":{"b":1,"c":[{"b":1},{"b":2}]},"b":"a"}`: nil,
		`{"a":"\"a\":1,\\","b":"{\"b\":{"}`:           nil,
		`{"840":3,"a_1":null}`:                        nil,
		`["a","a",{"a":["b","b"]}]`:                   nil,
		`{"a":1,"a":1}`:                               errTwice,
		`{"x":{"a":1,"b":{"a":2},"a" :3}}`:            errTwice,
		`{"x":[{"a":1,"c":"\\","a":1}]}`:              errTwice,
		`{"Value":1}`:                                 errName,
		"{\"\u017fource\":1}":                         errName, // folds to source
		"{\"\u212aind\":1}":                           errName, // folds to kind
		`{"\u0061":1}`:                                errName,
		`{"a b":1}`:                                   errName,
		strings.Repeat(`{"a":`, 17) + "1" + strings.Repeat("}", 17): errNested,
		`{"a":"never ends`: nil, `"`: nil, `}}}{"a":1`: nil, `{"a\\":1`: errName, "": nil, // not JSON: no panic
	} {
		if err := checkNames([]byte(line)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", line, err, want)
		}
	}
}

// The decoder takes the last of two members and doesn't look at upper and lower case. A preview by
// another reader would show one value, and the import write the other.
func TestAmbiguousLinesAreRefused(t *testing.T) {
	h, _, _ := furnished(t, "aaaa")
	file := h.export(all())
	plain := string(must[[]byte](t)(unsealed(file)))
	content := fmt.Sprintf(`"content":%d`, contentVersion)
	for name, change := range map[string][2]string{
		"a value twice": {`"value":"sk_live_0123456789abcdef"`,
			`"value":"sk_live_0123456789abcdef","value":"sk_live_of_somebody_else"`},
		"a value in capital": {`"value":"sk_live_0123456789abcdef"`,
			`"value":"sk_live_0123456789abcdef","VALUE":"sk_live_of_somebody_else"`},
		"a mode in capital": {`"mode":"sealed"`, `"Mode":"sealed"`},
		"the first line":    {content, content + "," + content},
		"two opening kinds": {`{"airlock":`, `{"Airlock":`},
		"an output":         {`"stdout":"1\n`, `"stdout":"","stdout":"1\n`},
		"statistics":        {`"durations":{"2":1}`, `"durations":{"2":1,"2":7}`},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(plain, change[0]) {
				t.Fatal("there is nothing to change")
			}
			fresh := newHouse(t, "bbbb")
			forged := sealed(t, h, strings.Replace(plain, change[0], change[1], 1))
			_, err := fresh.Plan(t.Context(), person(), upload(forged), nil)
			wantCode(t, "plan", err, app.CodeInvalidField)
			_, err = fresh.Fill(t.Context(), upload(forged), nil)
			wantCode(t, "fill", err, app.CodeInvalidField)
			if len(fresh.dump(all())) != 2 {
				t.Error("something was changed")
			}
		})
	}
	newHouse(t, "cccc").plan(sealed(t, h, plain)) // as it was it is read
}

// Names are looked at in time that grows with the line, whatever stands in it. With its square,
// this would not end.
func TestNamesOfHostileLinesAreFast(*testing.T) {
	for _, part := range []string{`\`, `\"`, `"`, `{"a":1},`, `":`, `{`, `}{`, ` `} {
		_ = checkNames([]byte(`{"a":"` + strings.Repeat(part, 4<<20/len(part))))
		_ = checkNames(bytes.Repeat([]byte(part), 4<<20/len(part)))
	}
}
