package secrets

import "fmt"

// The rows that the store's tokens are bound to. Moving or resealing must use the same names.

// ValueRow names a version of a credential's value, sealed under Values.
func ValueRow(credentialID string, version int) string {
	return fmt.Sprintf("credential:%s:%d", credentialID, version)
}

// ProfileRow is a profile's id, sealed under Profiles.
func ProfileRow(handle string) string { return "profile:" + handle }

// ExecutionRow is an execution's id, sealed under Execs.
func ExecutionRow(handle string) string { return "execution:" + handle + ":id" }

// ScriptRow is an execution's script, sealed under Scripts.
func ScriptRow(handle string) string { return "execution:" + handle + ":script" }

// InputsRow names an execution's inputs, sealed under Scripts.
func InputsRow(handle string) string { return "execution:" + handle + ":inputs" }

// AnswerRow names an answer to a script, sealed under Scripts.
func AnswerRow(requestID string) string { return "exchange:" + requestID + ":answer" }

// BlobRow is the key of a blob, sealed under Blobs.
func BlobRow(name string) string { return "blob:" + name + ":key" }
