package profileview

import "github.com/computclaw/airlock/app"

// Placed is what is granted with what may run and where, which stands before the lock and after it too.
func Placed(granted []Sentence, p app.Placement, may app.MayRun) []Sentence {
	if may != app.MayRunAny {
		granted = append(granted, say("plain", word(may.Sentence())))
	}
	return append(granted, say("box", word(Where(p))))
}

// Where says in a sentence where a profile's scripts may run.
func Where(p app.Placement) string {
	if p == (app.Placement{}) {
		return "Its scripts may run in any sandbox of this instance."
	}
	return "Its scripts run " + p.String() + ", or not at all."
}
