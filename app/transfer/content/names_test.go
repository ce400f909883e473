package content

import (
	"bytes"
	"errors"
	"strings"
	"testing"
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

// Checking names takes linear time. Quadratic time would not end here.
func TestNamesOfHostileLinesAreFast(*testing.T) {
	for _, part := range []string{`\`, `\"`, `"`, `{"a":1},`, `":`, `{`, `}{`, ` `} {
		_ = checkNames([]byte(`{"a":"` + strings.Repeat(part, 4<<20/len(part))))
		_ = checkNames(bytes.Repeat([]byte(part), 4<<20/len(part)))
	}
}
