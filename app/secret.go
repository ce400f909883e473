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

// Secret is a value that must not leave the process by accident. Formatting and logging give
// Masked; marshalling fails. Only Reveal returns the value; a test checks its few callers. The zero
// Secret is empty. Compare with Equal, not ==.
type Secret struct {
	// A pointer: for the verb %p fmt doesn't call Format and would print a string.
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
