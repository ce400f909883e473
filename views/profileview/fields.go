package profileview

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/computclaw/airlock/app"
)

// LinkNew is the choice to type a new credential.
const LinkNew = "+"

// LinkField names the field with a key's credential.
func LinkField(key string) string { return "link." + key }

// ValueField names the field with a key's new value.
func ValueField(key string) string { return "value." + key }

// FileField names the field with a key's new value as a file.
func FileField(key string) string { return "file." + key }

// NameField names the field with a new credential's name.
func NameField(key string) string { return "name." + key }

// AskedField names the hidden field with the key's shown request.
func AskedField(key string) string { return "asked." + key }

// RequestID identifies a key's request. It changes with the request.
func RequestID(k app.Key) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %+q", k.Description, k.Mode, k.Hosts))
	return hex.EncodeToString(sum[:8])
}

// HostField names the hidden field with a row's host.
func HostField(i int) string { return "host." + strconv.Itoa(i) }

// AllowField names a row's tick to allow the host.
func AllowField(i int) string { return "allow." + strconv.Itoa(i) }

// ProtocolField names a row's protocol choice.
func ProtocolField(i int) string { return "protocol." + strconv.Itoa(i) }

// PrivateField names a row's tick for private addresses.
func PrivateField(i int) string { return "private." + strconv.Itoa(i) }

// ExecutionField names the hidden field with the execution to return to.
const ExecutionField = "execution"
