package owner

import "strings"

// Names builds the names of a box's host objects: airlock.INSTANCE.OWNER.BOX. The parts have
// letters, digits, dashes and underscores, and no dots.
type Names struct {
	Instance string
	Owner    ID
}

const namePrefix = "airlock."

// NamesOf returns those of an instance's boxes in this process.
func NamesOf(instance string) (Names, error) {
	self, err := Self()
	return Names{instance, self}, err
}

// Of returns the name for a box.
func (n Names) Of(box string) string {
	return namePrefix + n.Instance + "." + string(n.Owner) + "." + box
}

// Parse splits a name, and reports whether it is one.
func Parse(name string) (whose Names, box string, ok bool) {
	rest, ours := strings.CutPrefix(name, namePrefix)
	parts := strings.Split(rest, ".")
	if !ours || len(parts) != 3 {
		return Names{}, "", false
	}
	return Names{parts[0], ID(parts[1])}, parts[2], true
}
