package httpx

import "github.com/computclaw/airlock/app"

// MaxLongPolls is how many calls may wait at once.
const MaxLongPolls = 2048

// Strangers is the name under which all unlocked profiles share long polls: anybody who reaches the
// port can make such profiles.
const Strangers = "strangers"

// ErrBusy refuses a long poll that would be one too many. An answer at once would make agents poll
// in a loop.
var ErrBusy = app.E(app.CodeRateLimited, "too many calls are waiting already",
	"Wait 5 s, then call again; one waiting call per execution is enough.")
