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

// LinkField is the name of the field that chooses a key's credential.
func LinkField(key string) string { return "link." + key }

// ValueField is the name of the field that takes a new value for a key.
func ValueField(key string) string { return "value." + key }

// FileField is the name of the field that takes a new value for a key as a file.
func FileField(key string) string { return "file." + key }

// NameField is the name of the field that names a key's new credential.
func NameField(key string) string { return "name." + key }

// AskedField is the name of the hidden field that says what a key was when the form was opened.
func AskedField(key string) string { return "asked." + key }

// Asked stands for what was asked for with a key: whatever changes in that changes it.
func Asked(k app.Key) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %+q", k.Description, k.Mode, k.Hosts))
	return hex.EncodeToString(sum[:8])
}

// HostField is the name of the hidden field that says which host a row is about.
func HostField(i int) string { return "host." + strconv.Itoa(i) }

// AllowField is the name of a row's tick to allow the host.
func AllowField(i int) string { return "allow." + strconv.Itoa(i) }

// ProtocolField is the name of a row's choice of a protocol.
func ProtocolField(i int) string { return "protocol." + strconv.Itoa(i) }

// PrivateField is the name of a row's tick for private addresses.
func PrivateField(i int) string { return "private." + strconv.Itoa(i) }

// ExecutionField is the name of the hidden field with the execution that a form of hosts leads back
// to.
const ExecutionField = "execution"
