package bundle

import "testing"

func TestHoleM8ForeignCoding(t *testing.T) {
	for source, line := range map[string]int{
		"# coding: utf-7\n# coding: utf-8\n": 1, "#!/usr/bin/python3\n# vim: set fileencoding=latin-1 :\n": 2,
		"\ufeff# coding=UTF_7\r": 1, "\f # x coding: coding:cp037": 1, "\r# coding: utf_16\n": 2,
		"# coding: utf-8\n": 0, "# -*- coding: ASCII -*-": 0, "x = 1\n\n# coding: utf-7\n": 0, "": 0,
	} {
		if _, got := foreignCoding(source); got != line {
			t.Errorf("%q: line %d, want %d", source, got, line)
		}
	}
}
