package settingsview

import (
	"strconv"

	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/views/format"
)

// ruleWords says how many rules count.
func ruleWords(all []patterns.Entry) string {
	on, off, own := 0, 0, 0
	for _, r := range all {
		switch {
		case r.Off:
			off++
			continue
		case r.Own:
			own++
		}
		on++
	}
	text := format.Count(int64(on), "rule") + " on"
	if own > 0 {
		text += ", " + strconv.Itoa(own) + " of them your own"
	}
	if off > 0 {
		text += "; " + strconv.Itoa(off) + " off"
	}
	return text + "."
}

// chosenRules returns rules that differ from the built-in ones.
func chosenRules(all []patterns.Entry) (list []patterns.Entry) {
	for _, r := range all {
		if r.Own || r.Off {
			list = append(list, r)
		}
	}
	return list
}
