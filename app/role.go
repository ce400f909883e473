package app

import (
	"slices"
	"strings"
)

// Role says what a person may do in the UI.
type Role string

// The roles, most powerful first.
const (
	RoleOwner    Role = "owner"    // everything
	RoleOperator Role = "operator" // everything but people, export, import, restore and the settings of backups
	RoleViewer   Role = "viewer"   // reads; sees no value and no token, decides nothing
)

// Roles returns all roles, most powerful first.
func Roles() []Role { return []Role{RoleOwner, RoleOperator, RoleViewer} }

// Includes reports whether role r may do what needs role needed. Unknown roles include nothing and
// are included in nothing.
func (r Role) Includes(needed Role) bool {
	has, needs := slices.Index(Roles(), r), slices.Index(Roles(), needed)
	return has >= 0 && needs >= 0 && has <= needs
}

// CheckRole returns CodeInvalidField for an unknown role.
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
