package cli_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdHTTP sends a request: http STATUS METHOD PATH [BODY] [HEADER…]. stdout gets the answer's body.
func cmdHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: http STATUS METHOD PATH [BODY] [HEADER…]")
	}
	s := of(ts)
	body := ""
	if len(args) > 3 {
		body = args[3]
	}
	r, err := http.NewRequest(args[1], s.url+args[2], strings.NewReader(body))
	ts.Check(err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, h := range args[min(4, len(args)):] {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	client := http.Client{Timeout: 70 * time.Second}
	resp, err := client.Do(r)
	ts.Check(err)
	defer resp.Body.Close()
	s.last, err = io.ReadAll(resp.Body)
	ts.Check(err)
	fmt.Fprintf(ts.Stdout(), "%s\n", s.last)
	if strconv.Itoa(resp.StatusCode) != args[0] {
		ts.Fatalf("%s %s: %d, want %s\n%s", args[1], args[2], resp.StatusCode, args[0], s.last)
	}
}

// lookUp finds a value in the last answer by path, as keys.0.name.
func lookUp(ts *testscript.TestScript, path string) any {
	var value any
	if err := json.Unmarshal(of(ts).last, &value); err != nil {
		ts.Fatalf("the last answer is not JSON: %v", err)
	}
	for part := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			next, ok := v[part]
			if !ok {
				return nil
			}
			value = next
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

// textOf writes strings plainly and others as JSON; a missing one is "absent".
func textOf(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	if value == nil {
		return "absent"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// cmdJSON matches a value of the last answer, whole, by a regular expression: json PATH PATTERN.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: json PATH PATTERN")
	}
	pattern, err := regexp.Compile(`(?s)\A(?:` + args[1] + `)\z`)
	ts.Check(err)
	if got := textOf(lookUp(ts, args[0])); pattern.MatchString(got) == neg {
		ts.Fatalf("%s is %s\n%s", args[0], got, of(ts).last)
	}
}

// cmdKeep sets a variable from the last answer: keep NAME PATH.
func cmdKeep(ts *testscript.TestScript, _ bool, args []string) {
	value, ok := lookUp(ts, args[1]).(string)
	if !ok {
		ts.Fatalf("there is no %s in %s", args[1], of(ts).last)
	}
	ts.Setenv(args[0], value)
}

// cmdUntil repeats GET PATH until a value matches: until PATH FIELD PATTERN.
func cmdUntil(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(`\A(?:` + args[2] + `)\z`)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		resp, err := http.Get(of(ts).url + args[0])
		ts.Check(err)
		of(ts).last, err = io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		ts.Check(err)
		if pattern.MatchString(textOf(lookUp(ts, args[1]))) {
			return
		}
		if time.Now().After(deadline) {
			ts.Fatalf("%s stays %s\n%s", args[1], textOf(lookUp(ts, args[1])), of(ts).last)
		}
	}
}

// cmdNoSecret fails if a value is below the script's directory, raw or encoded: nosecret VALUE….
// With ! it proves that the search works.
func cmdNoSecret(ts *testscript.TestScript, neg bool, args []string) {
	root := ts.Getenv("WORK")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == "in" {
			return filepath.SkipDir // what the script's author put there
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, secret := range args {
			for _, form := range formsOf(secret) {
				if bytes.Contains(data, []byte(form)) {
					return fmt.Errorf("%s holds the secret as %q", path, form)
				}
			}
		}
		return nil
	})
	if neg && err == nil {
		ts.Fatalf("the search finds nothing")
	} else if !neg {
		ts.Check(err)
	}
}

func formsOf(secret string) []string {
	forms := []string{secret, hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret)))}
	for shift := range 3 {
		encoded := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
		forms = append(forms, encoded[4:len(encoded)-4]) // without what the neighbours decide
	}
	return forms
}
