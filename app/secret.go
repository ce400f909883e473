package app

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
)

// Masked is what a Secret shows wherever it is printed.
const Masked = "[SECRET]"

// errSecretMarshalled is returned by every encoder that is handed a Secret.
var errSecretMarshalled = errors.New("app: a Secret can't be marshalled")

// Secret is a value that must not leave the process by accident. It can't be printed, formatted,
// logged or marshalled: formatting gives Masked and marshalling fails. Reveal is the only way to
// the value, and the places that call it are few and checked by a test. The zero Secret is empty.
// Compare with Equal: two Secrets of one value are not ==.
type Secret struct {
	// A pointer, because fmt doesn't ask Format about the verb %p and would print a string field.
	value *string
}

// NewSecret wraps value.
func NewSecret(value string) Secret {
	if value == "" {
		return Secret{}
	}
	return Secret{value: &value}
}

// Reveal returns the value itself.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty reports whether there is no value.
func (s Secret) Empty() bool { return s.value == nil }

// Equal compares in constant time for equal lengths.
func (s Secret) Equal(other Secret) bool {
	return subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(other.Reveal())) == 1
}

// String returns Masked.
func (Secret) String() string { return Masked }

// GoString returns Masked.
func (Secret) GoString() string { return Masked }

// Format writes Masked for every verb and flag.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(Masked)) }

// LogValue returns Masked.
func (Secret) LogValue() slog.Value { return slog.StringValue(Masked) }

// MarshalJSON fails.
func (Secret) MarshalJSON() ([]byte, error) { return nil, errSecretMarshalled }

// MarshalText fails.
func (Secret) MarshalText() ([]byte, error) { return nil, errSecretMarshalled }

// MarshalBinary fails.
func (Secret) MarshalBinary() ([]byte, error) { return nil, errSecretMarshalled }

// GobEncode fails.
func (Secret) GobEncode() ([]byte, error) { return nil, errSecretMarshalled }
