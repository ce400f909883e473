package cli_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/cmd/airlock/internal/admin"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// nextSteps are each error code's next steps. At least one hint has to match, and hints name only
// what exists (TestHintsNameWhatExists).
var nextSteps = map[app.Code]string{
	app.CodeInvalidJSON:        `Send one JSON object; GET /skill\.md`,
	app.CodeUnknownField:       `Did you mean`,
	app.CodeInvalidField:       `Send \{"keys":\[`,
	app.CodeTooLarge:           `Send less`,
	app.CodeUnauthorized:       `POST /profiles`,
	app.CodeForbidden:          `Ask the person who runs Airlock to do it in the admin UI`,
	app.CodeNotFound:           `what POST /execute returned`,
	app.CodeMethodNotAllowed:   `^It takes .*GET /skill\.md`,
	app.CodeUnsupportedMedia:   `Content-Type: application/json`,
	app.CodeProfileUnlocked:    `Lock; then GET /profiles/\{id\}\?wait=50`,
	app.CodeProfileLocked:      `POST /profiles`,
	app.CodeProfileRevoked:     `POST /profiles`,
	app.CodeProfileExpired:     `Ask the person who runs Airlock to extend it`,
	app.CodeMissingValue:       `Ask the person to set a value`,
	app.CodeNotWaiting:         `GET /executions/\{id\}`,
	app.CodeRequestMismatch:    `GET /executions/\{id\}`,
	app.CodeAlreadyEnded:       `GET /executions/\{id\}`,
	app.CodeIdempotencyReused:  `Use a new key`,
	app.CodeConflict:           `GET /executions/\{id\}\?wait=50`,
	app.CodeInUse:              `the credential's page lists them`,
	app.CodeQueueFull:          `AIRLOCK_QUEUE`,
	app.CodeRateLimited:        `Wait`,
	app.CodeProfilesDisabled:   `Ask the person who runs Airlock to create a profile`,
	app.CodeSandboxUnavailable: `Sandbox page of the UI, or to run airlock doctor`,
	app.CodeStorageBusy:        `a program that has airlock.db open`,
	app.CodeStorageFull:        `the Settings page of the UI says how much`,
	app.CodeInstanceRetired:    `Ask the person who runs Airlock for the new address`,
	app.CodeUnreachable:        `AIRLOCK_URL`,
	app.CodeInvalidSkill:       `airlock skill check PATH lists every problem`,
	app.CodeScriptNotAllowed:   `Run one of the skills`,
	app.CodeScriptRefused:      `Change the script as the reason says`,
	app.CodeSkillNameTaken:     `another name`,
	app.CodeSkillNotFound:      `GET /skills lists`,
	app.CodeSkillNotApproved:   `Ask the person who runs Airlock to approve it`,
	app.CodeSkillRevoked:       `upload a mended one for review`,
	app.CodeSkillDisabled:      `to switch it on`,
	app.CodePackageMissing:     `Ask the operator to install`,
	app.CodeFileNotFound:       `Send it again with POST /files`,
	app.CodeInternal:           `the person who runs Airlock finds the cause in its log`,
}

// TestEveryErrorTeaches: each code of app/errors.go has errors and a next step, and the manual has
// those that agents meet.
func TestEveryErrorTeaches(t *testing.T) {
	hints := hintsOf(t)
	manual, err := apidocs.Static()
	e2e.Must(t, err)
	for name, code := range codesOf(t) {
		step, known := nextSteps[code]
		if !known {
			t.Errorf("%s has no next step in this table", name)
			continue
		}
		if !slices.ContainsFunc(hints[code], regexp.MustCompile(step).MatchString) {
			t.Errorf("no error %s says %q: %q", code, step, hints[code])
		}
		// The agents' manual leaves out codes that only people meet.
		if forPeople := code == app.CodeInUse || code == app.CodeUnreachable; strings.Contains(manual, "`"+string(code)+"`") == forPeople {
			t.Errorf("%s in the manual: %v", code, !forPeople)
		}
	}
}

var (
	namedCall    = regexp.MustCompile(`\b(GET|POST|PUT|DELETE|PATCH) (/[\w./{}]*[\w}])`)
	namedCommand = regexp.MustCompile(`(?:^|[^.\w])airlock ([a-z]+)( [a-z]+)?`)
	namedSetting = regexp.MustCompile(`\b(?:AIRLOCK|VAULT)_[A-Z_]+[A-Z]\b`)
	namedPage    = regexp.MustCompile(`\bSettings, ([A-Z][a-z]+(?: [a-z]+)?)|\b([Ss]andbox|Settings) page`)
)

// TestHintsNameWhatExists checks every hint's calls, commands, settings and pages, from the source.
func TestHintsNameWhatExists(t *testing.T) {
	calls, settings := map[string]bool{}, map[string]bool{}
	for _, op := range apidocs.Operations() {
		calls[op.Method+" "+op.Path] = true
	}
	for _, v := range config.Variables() {
		settings[v.Name] = true
	}
	pages := []string{"Backups", "Export", "People", "Sandbox", "sandbox", "Settings"}
	help := helpText(t)
	count, named := 0, 0
	for code, hints := range hintsOf(t) {
		for _, hint := range hints {
			count++
			if len(hint) < 8 || !strings.HasSuffix(strings.TrimRight(hint, "`\""), ".") && !strings.HasSuffix(hint, "…") {
				t.Errorf("%s: %q is no sentence", code, hint)
			}
			for _, m := range namedCall.FindAllStringSubmatch(hint, -1) {
				named++
				if path := strings.ReplaceAll(m[2], "/self", "/{id}"); !calls[m[1]+" "+path] {
					t.Errorf("%s: there is no %s %s: %q", code, m[1], path, hint)
				}
			}
			for _, m := range namedCommand.FindAllStringSubmatch(hint, -1) {
				named++
				if !strings.Contains(help, "\n  "+m[1]+" ") || m[1] == "admin" && !strings.Contains(admin.Usage, m[2]) {
					t.Errorf("%s: there is no command %q: %q", code, m[0], hint)
				}
			}
			for _, name := range namedSetting.FindAllString(hint, -1) {
				named++
				if !settings[name] && !settings[strings.TrimSuffix(name, "_FILE")] {
					t.Errorf("%s: there is no setting %s: %q", code, name, hint)
				}
			}
			for _, m := range namedPage.FindAllStringSubmatch(hint, -1) {
				named++
				if !slices.Contains(pages, m[1]+m[2]) {
					t.Errorf("%s: there is no page %s: %q", code, m[0], hint)
				}
			}
		}
	}
	if count < 150 || named < 30 {
		t.Errorf("only %d hints with %d names were read", count, named)
	}
}

// codesOf reads the codes of app/errors.go.
func codesOf(t *testing.T) map[string]app.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../../../../app/errors.go", nil, 0)
	e2e.Must(t, err)
	codes := map[string]app.Code{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 && strings.HasPrefix(spec.Names[0].Name, "Code") {
			codes[spec.Names[0].Name] = app.Code(words(spec.Values[0], nil))
		}
		return true
	})
	if len(codes) < 20 {
		t.Fatalf("only %d codes were read", len(codes))
	}
	return codes
}

// hintsOf reads the hints of all errors that the source makes, by code. Where a hint is put
// together, … stands for what is not known before it is.
func hintsOf(t *testing.T) map[app.Code][]string {
	t.Helper()
	codes, hints := codesOf(t), map[app.Code][]string{}
	for _, root := range []string{"../../../../../app", "../../../../../cmd/airlock", "../../../../../store"} {
		e2e.Must(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				return err
			}
			constants := constantsOf(file)
			ast.Inspect(file, func(n ast.Node) bool {
				if code, hint, ok := errorMade(n, codes, constants); ok && hint != "" && strings.Trim(hint, "… ") != "" {
					hints[code] = append(hints[code], hint)
				}
				return true
			})
			return nil
		}))
	}
	for _, list := range hints {
		slices.Sort(list)
	}
	return hints
}

// errorMade is the code and the hint of a call that makes an app.Error.
func errorMade(n ast.Node, codes map[string]app.Code, constants map[string]string) (app.Code, string, bool) {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return "", "", false
	}
	name := nameOf(call.Fun)
	code, arguments := app.Code(""), call.Args
	switch {
	case name == "E" && len(arguments) == 3:
		code = codes[nameOf(arguments[0])]
	case name == "FieldError" && len(arguments) == 4:
		code = codes[nameOf(arguments[0])]
	case name == "Invalid" && len(arguments) == 3:
		code = app.CodeInvalidField
	}
	if code == "" {
		return "", "", false
	}
	return code, words(arguments[len(arguments)-1], constants), true
}

func nameOf(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// words is the text of an expression, as far as the source says it.
func words(e ast.Expr, constants map[string]string) string {
	switch x := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(x.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		return words(x.X, constants) + words(x.Y, constants)
	case *ast.CallExpr:
		if len(x.Args) > 0 && slices.Contains([]string{"Sprintf", "TrimSpace"}, nameOf(x.Fun)) {
			return words(x.Args[0], constants)
		}
	case *ast.Ident:
		if text, ok := constants[x.Name]; ok {
			return text
		}
	}
	return "…"
}

// constantsOf are the texts that a file gives a name.
func constantsOf(file *ast.File) map[string]string {
	found := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ValueSpec:
			for i, value := range x.Values {
				found[x.Names[i].Name] = words(value, nil)
			}
		case *ast.AssignStmt:
			for i, value := range x.Rhs {
				if name, ok := x.Lhs[min(i, len(x.Lhs)-1)].(*ast.Ident); ok && len(x.Lhs) == len(x.Rhs) {
					found[name.Name] = words(value, nil)
				}
			}
		}
		return true
	})
	maps.DeleteFunc(found, func(_, text string) bool { return text == "…" })
	return found
}

// helpText returns what airlock help prints.
func helpText(t *testing.T) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(e2e.BinDir, "airlock"), "help").Output()
	e2e.Must(t, err)
	return string(out)
}
