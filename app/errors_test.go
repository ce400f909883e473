package app

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestErrors(t *testing.T) {
	e := E(CodeNotFound, "no such thing", "Look elsewhere.")
	caused := &Error{Code: CodeInternal, Message: "it broke", Cause: io.ErrUnexpectedEOF}
	for want, err := range map[Code]error{
		"": nil, CodeNotFound: e, CodeInternal: errors.New("plain"),
		CodeInvalidField: fmt.Errorf("outer: %w", Invalid("f", "m", "h")),
		CodeConflict:     errors.Join(io.EOF, E(CodeConflict, "", "")),
	} {
		if got := CodeOf(err); got != want {
			t.Errorf("CodeOf(%v) is %s", err, got)
		}
	}
	if e.Error() != "not_found: no such thing" || caused.Error() != "internal: it broke: unexpected EOF" ||
		!errors.Is(caused, io.ErrUnexpectedEOF) {
		t.Errorf("%v, %v", e, caused)
	}
	if f := Invalid("f", "m", "h"); f.Field != "f" || f.Hint != "h" || f.Message != "m" {
		t.Errorf("%+v", f)
	}
}
