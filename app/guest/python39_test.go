package guest

import (
	"os/exec"
	"testing"
)

// oldestSyntax parses files as the oldest Python does that the runner is for.
const oldestSyntax = `
import ast, sys
for path in sys.argv[1:]:
    ast.parse(open(path).read(), path, feature_version=(3, 9))
try:
    ast.parse("match x:\n    case 1: pass", feature_version=(3, 9))
except SyntaxError:
    pass
else:
    sys.exit("nothing is too new")
`

// TestRunnerHasNoNewerSyntax only knows the language; make pythons runs it on the interpreters
// themselves.
func TestRunnerHasNoNewerSyntax(t *testing.T) {
	files := []string{"runner/asked.py", "runner/failure.py", "runner/foreign.py", "runner/main.py", "runner/parts.py",
		"runner/processors.py", "runner/sdk.py", "runner/text.py", "runner/trust.py", "runner/values.py"}
	if out, err := exec.Command("/usr/bin/python3",
		append([]string{"-c", oldestSyntax}, files...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
