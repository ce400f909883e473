package settingsview

import "github.com/computclaw/airlock/app/redact/patterns"

// chosenRules returns rules that differ from the built-in ones.
func chosenRules(all []patterns.Entry) (list []patterns.Entry) {
	for _, r := range all {
		if r.Own || r.Off {
			list = append(list, r)
		}
	}
	return list
}
