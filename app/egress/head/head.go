package head

import (
	"bytes"
	"net/netip"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
)

// MaxBytes is the largest head, MaxFields the largest number of header fields.
const (
	MaxBytes  = 64 << 10
	MaxFields = 200
)

// Kind is a head's fault.
type Kind int

// The kinds.
const (
	Malformed Kind = iota + 1 // not HTTP/1, or HTTP/1 that could be read in two ways
	TooLarge
	Version   // another version of HTTP
	WrongHost // for another host than the one that was dialled
	Absolute  // a target with a scheme, or a host and port
	Method    // CONNECT, TRACE
	Upgrade   // to another protocol
	Expect    // an expectation other than 100-continue
)

// Violation is the reason for refusing a request. Detail never quotes the request.
type Violation struct {
	Kind   Kind
	Detail string
}

func (v *Violation) Error() string { return v.Detail }

func newViolation(detail string) error { return &Violation{Malformed, detail} }

// Authority is the host that was dialled.
type Authority struct {
	Name string // canonical
	Port int
}

// End returns the length of the head that begins data, with its empty line, or 0. from: how much an
// earlier call has seen. Lines must end with CRLF.
func End(data []byte, from int) (int, error) {
	for i := from; i < min(len(data), MaxBytes); i++ {
		switch {
		case data[i] == 0:
			return 0, newViolation("it contains a NUL byte")
		case data[i] == '\n' && (i == 0 || data[i-1] != '\r'):
			return 0, newViolation("a line ends without a carriage return")
		case data[i] != '\n' && i > 0 && data[i-1] == '\r':
			return 0, newViolation("a carriage return stands inside a line")
		case data[i] == '\n' && i == 1:
			return 0, newViolation("it begins with an empty line")
		case data[i] == '\n' && i >= 3 && data[i-2] == '\n':
			return i + 1, nil
		}
	}
	if len(data) >= MaxBytes {
		return 0, &Violation{TooLarge, "its head is longer than " + strconv.Itoa(MaxBytes) + " bytes"}
	}
	return 0, nil
}

// Check judges a whole head, as found by End. The error is a *Violation.
func Check(data []byte, to Authority) error {
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\r\n\r\n")), []byte("\r\n"))
	version, err := checkRequestLine(string(lines[0]))
	if err != nil {
		return err
	}
	if len(lines)-1 > MaxFields {
		return &Violation{TooLarge, "it has more than " + strconv.Itoa(MaxFields) + " header fields"}
	}
	f := fields{to: to, old: version == "HTTP/1.0"}
	for _, line := range lines[1:] {
		if err := f.add(string(line)); err != nil {
			return err
		}
	}
	return f.end()
}

// checkRequestLine returns the version.
func checkRequestLine(line string) (string, error) {
	method, rest, _ := strings.Cut(line, " ")
	target, version, ok := strings.Cut(rest, " ")
	switch {
	case !ok || !isToken(method) || strings.Contains(version, " "):
		return "", newViolation("its first line is not a method, a target and a version")
	case !strings.HasPrefix(version, "HTTP/"):
		return "", newViolation("its first line does not end with a version of HTTP")
	case version != "HTTP/1.1" && version != "HTTP/1.0":
		return "", &Violation{Version, "it is not in HTTP/1.1"}
	}
	switch strings.ToUpper(method) {
	case "CONNECT", "TRACE", "TRACK":
		return "", &Violation{Method, "its method is not allowed"}
	}
	return version, checkTarget(method, target)
}

func checkTarget(method, target string) error {
	for _, c := range []byte(target) {
		if c <= ' ' || c >= 0x7f || c == '#' {
			return newViolation("its target contains a character that must be percent-encoded")
		}
	}
	switch {
	case strings.HasPrefix(target, "/"), target == "*" && method == "OPTIONS":
		return nil
	case target == "" || target == "*":
		return newViolation("its target is not a path")
	}
	return &Violation{Absolute, "its target is not a path"}
}

// fields collects what matters across header fields.
type fields struct {
	to       Authority
	old      bool // HTTP/1.0
	hosts    int
	lengths  int
	codings  int
	upgrades bool
}

func (f *fields) add(line string) error {
	name, value, ok := strings.Cut(line, ":")
	switch {
	case line != "" && (line[0] == ' ' || line[0] == '\t'):
		return newViolation("a header line is folded")
	case !ok || !isToken(name):
		return newViolation("a header field has no proper name")
	case !isValue(value):
		return newViolation("a header value contains a control character")
	}
	value = strings.Trim(value, " \t")
	switch lower := strings.ToLower(name); strings.ReplaceAll(lower, "_", "-") {
	case "host":
		f.hosts++
		return f.check(lower == "host", checkHost(value, f.to))
	case "content-length":
		f.lengths++
		return f.check(lower == "content-length", checkLength(value))
	case "transfer-encoding":
		f.codings++
		if strings.ToLower(value) != "chunked" {
			return newViolation("its transfer coding is not chunked alone")
		}
		return f.check(lower == "transfer-encoding", nil)
	case "expect":
		if strings.ToLower(value) != "100-continue" {
			return &Violation{Expect, "it expects something other than 100-continue"}
		}
	case "upgrade":
		// an offer of h2c is dropped on the way; no client depends on it
		f.upgrades = f.upgrades || !strings.EqualFold(value, "h2c")
	}
	return nil
}

// check refuses underscores in field names: some servers read them as dashes.
func (f *fields) check(properName bool, err error) error {
	if !properName {
		return newViolation("a header field's name imitates another")
	}
	return err
}

func (f *fields) end() error {
	switch {
	case f.hosts != 1:
		return newViolation("it has not exactly one Host")
	case f.lengths > 1:
		return newViolation("it has more than one Content-Length")
	case f.codings > 1:
		return newViolation("it has more than one Transfer-Encoding")
	case f.codings > 0 && f.lengths > 0:
		return newViolation("it has both Content-Length and Transfer-Encoding")
	case f.codings > 0 && f.old:
		return newViolation("HTTP/1.0 has no Transfer-Encoding")
	case f.upgrades:
		return &Violation{Upgrade, "it asks for another protocol"}
	}
	return nil
}

// maxDigits of a length keep it within an int64.
const maxDigits = 18

func checkLength(value string) error {
	if value == "" || len(value) > maxDigits || strings.Trim(value, "0123456789") != "" {
		return newViolation("its Content-Length is not a number")
	}
	return nil
}

// checkHost wants the dialled name; the port may be left out.
func checkHost(value string, to Authority) error {
	wrong := &Violation{WrongHost, "its Host is not the host of the connection"}
	name, port := value, ""
	if i := strings.LastIndexByte(value, ':'); i >= 0 && !strings.HasSuffix(value, "]") {
		name, port = value[:i], value[i+1:]
		if port != strconv.Itoa(to.Port) {
			return wrong
		}
	}
	if inner, ok := strings.CutPrefix(name, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !addr.Is6() || !strings.HasSuffix(name, "]") {
			return wrong
		}
		name = strings.TrimSuffix(inner, "]")
	} else if strings.Contains(name, ":") {
		return wrong
	}
	if canonical, err := app.CanonicalName(name); err != nil || canonical != to.Name {
		return wrong
	}
	return nil
}

func isToken(s string) bool {
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') &&
			!strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

func isValue(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
