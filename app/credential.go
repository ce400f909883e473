package app

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Mode is how a credential reaches a script.
type Mode string

// The modes.
const (
	ModeSealed   Mode = "sealed"   // a placeholder; the value is put in on the way out
	ModeInjected Mode = "injected" // the value itself
	ModePlain    Mode = "plain"    // not secret: never redacted
)

// ParseMode accepts the three modes by name.
func ParseMode(s string) (Mode, error) {
	switch m := Mode(s); m {
	case ModeSealed, ModeInjected, ModePlain:
		return m, nil
	}
	return "", Invalid("mode", fmt.Sprintf("mode %q is not known", Clip(s, 40)), "Use sealed, injected or plain.")
}

// Source is where a credential's value comes from.
type Source string

// The sources.
const (
	SourceLocal Source = "local" // sealed in the store
	SourceVault Source = "vault" // read from HashiCorp Vault at execution time
)

// Place is a part of a request that can receive a sealed value.
type Place string

// The places. Headers of SealedHeaders always count; the others only where the credential says so.
const (
	PlaceHeader Place = "header"
	PlacePath   Place = "path"
	PlaceQuery  Place = "query"
	PlaceBody   Place = "body" // up to MaxSwappedBody
)

// ParsePlace accepts the four places by name.
func ParsePlace(s string) (Place, error) {
	switch p := Place(s); p {
	case PlaceHeader, PlacePath, PlaceQuery, PlaceBody:
		return p, nil
	}
	return "", Invalid("places", fmt.Sprintf("place %q is not known", Clip(s, 40)), "Use header, path, query or body.")
}

// CanonicalPlaces returns unique places in fixed order, always with PlaceHeader.
func CanonicalPlaces(places []Place) ([]Place, error) {
	for _, p := range places {
		if _, err := ParsePlace(string(p)); err != nil {
			return nil, err
		}
	}
	list := []Place{PlaceHeader}
	for _, p := range []Place{PlacePath, PlaceQuery, PlaceBody} {
		if slices.Contains(places, p) {
			list = append(list, p)
		}
	}
	return list, nil
}

// PlaceNames lists a sealed value's places and named headers: header (Cookie, X-Key), query.
func (c Credential) PlaceNames() string {
	names := make([]string, len(c.Places))
	for i, p := range c.Places {
		names[i] = string(p)
		if p == PlaceHeader && len(c.Headers) > 0 {
			names[i] += " (" + strings.Join(c.Headers, ", ") + ")"
		}
	}
	return strings.Join(names, ", ")
}

// MaxSwappedBody is the largest request body whose placeholders are replaced, in bytes.
const MaxSwappedBody = 1 << 20

// Credential is a named secret without its value. The store seals the value's versions.
type Credential struct {
	ID          string
	Name        string
	Description string
	Service     string // what it opens, in a person's words, such as Stripe
	Mode        Mode
	Hosts       []Host   // where the value may go; required for sealed
	Places      []Place  // where a sealed value is put in; always with PlaceHeader
	Headers     []string // in which a sealed value is put in, as CanonicalHeaders returns them; the usual ones if empty
	PlainHTTP   bool     // a person allowed a sealed value over unencrypted HTTP
	Source      Source
	Reference   string // for SourceVault: such as secret/data/oracle#password
	Version     int    // of the current value; 0 if none was set yet
	KeyID       string // of the instance key that sealed the current value
	ValueSetAt  time.Time
	CreatedAt   time.Time
	UpdatedAt   time.Time
	LastUsedAt  time.Time // zero if never
	Uses        int64     // executions that had it
	Profiles    int       // profiles that refer to it now; filled by lists
	CheckedAt   time.Time // of the last test request; zero if there was none
	CheckError  string    // why that failed; "" if it didn't
	CheckProved bool      // the host took the value, and refused the same request without it
}

// HasValue reports whether a value can be resolved.
func (c Credential) HasValue() bool { return c.Version > 0 || c.Source == SourceVault }

// HoldsValue reports whether Airlock itself keeps a value.
func (c Credential) HoldsValue() bool { return c.Version > 0 && c.Source != SourceVault }

// IsSearched reports whether answers of the credential's hosts are searched for the value. This
// holds for every profile.
func (c Credential) IsSearched() bool { return len(c.Hosts) > 0 && c.HasValue() && c.Mode != ModePlain }

// MaxValue is the longest credential value, in bytes.
const MaxValue = 64 << 10

// MinSealed is the shortest value that can be sealed, in characters. White space around it doesn't
// count: a host may drop it.
const MinSealed = 16

// MinSecret is the shortest value that can be redacted, in trimmed characters.
const MinSecret = 4

// MaxService is the longest name of a service, in bytes.
const MaxService = 100

// MaxDescription bounds the description of a credential, profile or key, in bytes.
const MaxDescription = 1000

var nameShape = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// CheckName accepts names of credentials and keys. These are letters, digits and underscores, at
// most 128, not starting with a digit.
func CheckName(name string) error {
	if len(name) > 128 || !nameShape.MatchString(name) {
		return Invalid("name", fmt.Sprintf("%q can't be a key name", Clip(name, 40)),
			"Use letters, digits and underscores, at most 128, and don't start with a digit, such as SIMPHONY_API_KEY.")
	}
	return nil
}

// CheckText accepts short free text: CheckStored's, without invisible characters. A person decides
// by an agent's text.
func CheckText(field, text string, limit int) error {
	for _, r := range findUnseen([]byte(text)) {
		if len(text) <= limit && !unicode.IsControl(r) { // CheckStored has a better word for those
			return Invalid(field, fmt.Sprintf("%s contains the invisible character U+%04X", field, r),
				"Remove it: people decide by this text, so all of it has to be seen.")
		}
	}
	return CheckStored(field, text, limit)
}

// CheckStored accepts short free text of stored records, perhaps older than CheckText. It is valid
// UTF-8 of at most limit bytes, without control characters (except line breaks and tabs) and
// changes of direction.
func CheckStored(field, text string, limit int) error {
	switch {
	case len(text) > limit:
		return Invalid(field, fmt.Sprintf("%s is longer than %d bytes", field, limit), "Shorten it.")
	case !utf8.ValidString(text):
		return Invalid(field, field+" is not valid UTF-8", "Send text in UTF-8.")
	case strings.ContainsFunc(text, isControl):
		return Invalid(field, field+" contains a control character", "Remove it.")
	}
	return nil
}

func isControl(r rune) bool {
	switch {
	case r == '\n', r == '\t', r == '\r':
		return false
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069': // embeddings, overrides, isolates
		return true
	}
	return unicode.IsControl(r)
}

// TypedValue returns a typed, piped or stored value. A single line loses its final line break,
// which copying and editors add. Several lines are a file and stay as they are: a key without its
// last line break can't be read.
func TypedValue(text string) Secret {
	line := strings.TrimRight(text, "\r\n")
	if strings.Contains(line, "\n") {
		return NewSecret(text)
	}
	return NewSecret(line)
}

// CheckValue accepts a credential's value under a mode. It doesn't trim; see TypedValue.
func CheckValue(mode Mode, value Secret) error {
	text := value.Reveal()
	n := len(text)
	switch {
	case n == 0:
		return Invalid("value", "the value is empty", "Type the value, or leave the credential without one for now.")
	case n > MaxValue:
		return Invalid("value", fmt.Sprintf("the value is longer than %d bytes", MaxValue),
			"Store large material in a file the script can fetch.")
	case strings.ContainsRune(text, 0):
		return Invalid("value", "the value contains a NUL byte", "Encode binary material, for example as base64.")
	case !utf8.ValidString(text):
		return Invalid("value", "the value is not valid UTF-8", "Encode binary material, for example as base64.")
	case mode == ModeSealed && utf8.RuneCountInString(strings.TrimSpace(text)) < MinSealed:
		return Invalid("value", fmt.Sprintf("a sealed value has at least %d characters, spaces around it not counted",
			MinSealed), "Use a longer value, or choose injected.")
	case mode != ModePlain && utf8.RuneCountInString(strings.TrimSpace(text)) < MinSecret:
		return Invalid("value", fmt.Sprintf(
			"a secret has at least %d characters, spaces around it not counted; shorter ones can't be redacted", MinSecret),
			"Use a longer value, or choose plain if it is not secret.")
	}
	return nil
}

// Clip shortens s to n bytes, at a character's boundary, and adds a three-byte ellipsis. It is for
// messages; stored text uses Truncate.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Truncate(s, n) + "…"
}

// Truncate shortens s to at most n bytes, at a character's boundary.
func Truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
