package app

import (
	"slices"
	"strings"
)

// Role is what a person may do in the UI.
type Role string

// The roles, from the one that may do most.
const (
	RoleOwner    Role = "owner"    // everything
	RoleOperator Role = "operator" // everything but people, export, import, restore and the settings of backups
	RoleViewer   Role = "viewer"   // reads; sees no value and no token, decides nothing
)

// Roles returns all roles, the one that may do most first.
func Roles() []Role { return []Role{RoleOwner, RoleOperator, RoleViewer} }

// Includes reports whether a person with role r may do what needs role needed. A role that isn't
// known includes nothing, and is included in nothing.
func (r Role) Includes(needed Role) bool {
	has, needs := slices.Index(Roles(), r), slices.Index(Roles(), needed)
	return has >= 0 && needs >= 0 && has <= needs
}

// CheckRole returns CodeInvalidField for a role that isn't known.
func CheckRole(r Role) error {
	if slices.Contains(Roles(), r) {
		return nil
	}
	names := make([]string, 0, len(Roles()))
	for _, role := range Roles() {
		names = append(names, string(role))
	}
	return Invalid("role", "this role is not known", "Choose one of "+strings.Join(names, ", ")+".")
}
