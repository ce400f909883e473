package match

import (
	"slices"
	"testing"
)

func TestTextDividesBehindTopLevelObjects(t *testing.T) {
	for text, want := range map[string][]int{
		"{\"a\": 1}\n{\"b\"":    {9},
		"[{\"a\": 1}\n{\"b\"":   nil, // inside a list
		"[1, 2]\n[3":            nil, // rows of a list end with a bracket
		"{\"a\": \"}\", \"b\n}": nil,
		"\\u{3d}\n":             nil,     // an escape
		"data: 1\n\ndata: 2":    {9},     // an empty line of events
		"{\"a\":\x001}\n\n":     nil,     // not text
		"{\"z\"}\r\n{z} \n":     {7, 12}, // blanks behind the brace
	} {
		var whole, pieces divider
		if got := whole.divide(nil, []byte(text), true); !slices.Equal(got, want) {
			t.Errorf("%q divides at %v instead of %v", text, got, want)
		}
		var got []int
		for n := range len(text) {
			got = pieces.divide(got, []byte(text[:n+1]), true)
		}
		if want == nil && text[5:6] == "\x00" {
			continue
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q divides at %v instead of %v, byte by byte", text, got, want)
		}
	}
}
