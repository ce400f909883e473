package secrets

import "fmt"

// The rows that tokens of the store are bound to. A token opens only as the row it was sealed for,
// so whoever moves or seals anew must use the same names.

// ValueRow is a version of a credential's value, sealed under Values.
func ValueRow(credentialID string, version int) string {
	return fmt.Sprintf("credential:%s:%d", credentialID, version)
}

// ProfileRow is a profile's id, sealed under Profiles.
func ProfileRow(handle string) string { return "profile:" + handle }

// ExecutionRow is an execution's id, sealed under Execs.
func ExecutionRow(handle string) string { return "execution:" + handle + ":id" }

// ScriptRow is an execution's script, sealed under Scripts.
func ScriptRow(handle string) string { return "execution:" + handle + ":script" }

// InputsRow is the row of an execution's inputs, sealed under Scripts.
func InputsRow(handle string) string { return "execution:" + handle + ":inputs" }

// AnswerRow is an answer that a script got, sealed under Scripts.
func AnswerRow(requestID string) string { return "exchange:" + requestID + ":answer" }

// BlobRow is the key of a blob, sealed under Blobs.
func BlobRow(name string) string { return "blob:" + name + ":key" }
