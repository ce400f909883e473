package app

import "testing"

func TestARoleIncludesItselfAndLesserOnes(t *testing.T) {
	for i, has := range Roles() {
		for j, needed := range Roles() {
			if has.Includes(needed) != (i <= j) {
				t.Errorf("%s includes %s: %t", has, needed, has.Includes(needed))
			}
		}
		for _, unknown := range []Role{"", "Owner", "root"} {
			if has.Includes(unknown) || unknown.Includes(has) || unknown.Includes(unknown) {
				t.Errorf("%q counts beside %s", unknown, has)
			}
		}
	}
}
