package bubblewrap

import (
	"strings"

	"github.com/computclaw/airlock/plugins/owner"
)

// groupNames makes the names of control groups: airlock.INSTANCE.OWNER.BOX. None of the parts has a dot in it.
type groupNames struct {
	instance string
	owner    owner.ID
}

func newGroupNames(instance string) (groupNames, error) {
	self, err := owner.Self()
	return groupNames{instance, self}, err
}

const groupPrefix = "airlock."

// of returns the name of a box's group.
func (n groupNames) of(id string) string {
	return groupPrefix + n.instance + "." + string(n.owner) + "." + id
}

// parseGroupName takes a name apart.
func parseGroupName(name string) (instance string, by owner.ID, id string, ok bool) {
	rest, ok := strings.CutPrefix(name, groupPrefix)
	parts := strings.Split(rest, ".")
	if !ok || len(parts) != 3 {
		return "", "", "", false
	}
	return parts[0], owner.ID(parts[1]), parts[2], true
}
