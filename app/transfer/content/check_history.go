package content

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
)

// CheckPerson refuses a person who could not be added here.
func CheckPerson(p store.PersonRow) error {
	var passkeys []app.Passkey
	if strict([]byte(p.Passkeys), &passkeys) != nil || app.CheckPasskeys(passkeys) != nil ||
		app.CheckRole(app.Role(p.Role)) != nil || !handleShape.MatchString(p.ID) ||
		app.CheckStored("name", p.Name, maxShort) != nil || len(p.Password) > maxShort {
		return Contradiction("a person", "is not possible", nil)
	}
	return nil
}

// Check refuses an approval that no person could have given here.
func (a Approval) Check() error {
	approved := a.State == string(app.ApprovalApproved) && a.Scope == string(app.ApproveAlways)
	switch {
	case !approved && (a.State != string(app.ApprovalRefused) || a.Scope != ""):
		return fmt.Errorf("its state is neither approved for good nor refused")
	case a.Kind != string(app.ApprovalScript) || !digestShape.MatchString("sha256:"+a.Subject):
		return fmt.Errorf("it is for nothing that is known")
	case !handleShape.MatchString(a.ID) || !handleShape.MatchString(a.ProfileHandle),
		a.Execution != "" && !handleShape.MatchString(a.Execution):
		return fmt.Errorf("its ids are malformed")
	}
	if sum := sha256.Sum256([]byte(a.Shown)); hex.EncodeToString(sum[:]) != a.Subject {
		return fmt.Errorf("it shows another script than it is for")
	}
	return errors.Join(checkActor(a.DecidedBy), app.CheckStored("reason", a.Reason, app.MaxReason), checkBounds(a))
}
