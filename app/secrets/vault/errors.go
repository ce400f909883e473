package vault

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"

	"github.com/computclaw/airlock/app"
)

// ReadError says which reference could not be read. It wraps an *app.Error, whose message reveals
// no path, token or value. Vault's own words are only in that error's cause, for the log.
type ReadError struct {
	Reference app.Reference
	Err       error
}

func (e *ReadError) Error() string { return fmt.Sprintf("vault: read %s: %v", e.Reference, e.Err) }

// Unwrap returns the *app.Error.
func (e *ReadError) Unwrap() error { return e.Err }

const askOperator = "Ask the operator to look at Vault's state on Airlock's settings page, then submit again."

func because(code app.Code, reason, hint string, cause error) *app.Error {
	return &app.Error{Code: code, Message: reason, Hint: hint, Cause: cause}
}

// explain turns an API error into a reason. A 403 here means a missing permission: the token was
// checked before.
func explain(err error, limit time.Duration) error {
	var known *app.Error
	if errors.As(err, &known) {
		return err
	}
	var answered *api.ResponseError
	if errors.As(err, &answered) {
		return explainStatus(answered)
	}
	var timeout net.Error
	var untrusted *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return because(app.CodeUnreachable, fmt.Sprintf("Vault did not answer within %g s", limit.Seconds()), askOperator,
			err)
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &untrusted):
		return because(app.CodeUnreachable, "Vault's certificate is not trusted",
			"Ask the operator to set VAULT_CACERT to the file of the authority that issued it.", err)
	}
	var syntax *json.SyntaxError
	var shape *json.UnmarshalTypeError
	if errors.As(err, &syntax) || errors.As(err, &shape) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return because(app.CodeUnreachable, "Vault's answer can't be read", askOperator, err)
	}
	return because(app.CodeUnreachable, "Vault can't be reached", askOperator, err)
}

func explainStatus(err *api.ResponseError) error {
	switch {
	case err.StatusCode == http.StatusServiceUnavailable && strings.Contains(strings.Join(err.Errors, " "), "sealed"):
		return because(app.CodeUnreachable, "Vault is sealed", "Ask the operator to unseal Vault, then submit again.", err)
	case err.StatusCode == http.StatusForbidden:
		return because(errDenied.Code, errDenied.Message, errDenied.Hint, err)
	case err.StatusCode == http.StatusNotFound:
		return errNothing
	case err.StatusCode == http.StatusInternalServerError:
		return because(app.CodeUnreachable,
			"Vault failed with status 500: the engine behind the path, such as a database, may be down",
			"Ask the operator to look at the system behind that engine, then submit again: Airlock's log has what Vault said.",
			err)
	case err.StatusCode == http.StatusTooManyRequests:
		return because(app.CodeUnreachable, "Vault answers no more requests for now", "Wait a little, then submit again.",
			err)
	}
	return because(app.CodeUnreachable, fmt.Sprintf("Vault failed with status %d", err.StatusCode), askOperator, err)
}

// maxMessage bounds Vault's own words in the log, in bytes.
const maxMessage = 300

// tame shortens Vault's refusals for the log and masks our secret in them. It drops a proxy's
// answers, which may repeat the token.
func tame(err error, secret app.Secret) error {
	var answered *api.ResponseError
	if !errors.As(err, &answered) {
		return err
	}
	if answered.RawError {
		answered.Errors = []string{"an answer that is not Vault's"}
	}
	for i, words := range answered.Errors {
		if !secret.Empty() {
			words = strings.ReplaceAll(words, secret.Reveal(), app.Masked)
		}
		answered.Errors[i] = app.Clip(words, maxMessage)
	}
	answered.Errors = answered.Errors[:min(len(answered.Errors), 5)]
	return err
}

// Reasons why a reference does not resolve.
var (
	errRedirected = because(app.CodeUnreachable, "Vault's address only leads to another one",
		"Ask the operator to set VAULT_ADDR to the address that answers: Airlock's token is not sent elsewhere.", nil)
	errOwnPlace = because(app.CodeForbidden, "what stands there is Vault's own, not a secret",
		"Ask the person to correct the credential's reference.", nil)

	errNothing = because(app.CodeMissingValue, "nothing is stored there in Vault",
		"Ask the person to correct the credential's reference, or to store the value in Vault.", nil)
	errField = because(app.CodeMissingValue, "what is stored there in Vault has no field of that name",
		"Ask the person to correct the field after # in the credential's reference.", nil)
	errNotText = because(app.CodeMissingValue, "that field is not a text in Vault",
		"Ask the person to store the value as a text.", nil)
	errDeleted = because(app.CodeMissingValue, "its newest version was deleted in Vault",
		"Ask the person to undelete it or to store a new one.", nil)
	errNoData = because(app.CodeMissingValue, "the path leads past the data of a KV version 2 mount",
		"Ask the person to write data/ after the mount in the credential's reference: secret/data/oracle#password.", nil)
	errDenied = because(app.CodeForbidden, "Vault denied permission: Airlock may not read it",
		"Ask the operator to allow it in the policy of Airlock's token in Vault; a path in KV version 2 needs data/ after "+
			"its mount.", nil)
	errBadToken = because(app.CodeUnreachable, "Vault doesn't accept Airlock's token any more",
		"Ask the operator to give Airlock a new token for Vault.", nil)
)

// reason is an error for the log. It drops the app.Error's code, which would call a wrong token
// "unreachable".
func reason(err error) string {
	var known *app.Error
	switch {
	case !errors.As(err, &known):
		return err.Error()
	case known.Cause == nil:
		return known.Message
	}
	return known.Message + ": " + known.Cause.Error()
}

// words returns the safe part of an error.
func words(err error) (problem, hint string) {
	var known *app.Error
	if errors.As(err, &known) {
		return known.Message, known.Hint
	}
	return "Vault can't be asked", "Look at Airlock's log."
}
