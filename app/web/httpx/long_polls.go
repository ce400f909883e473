package httpx

import "github.com/computclaw/airlock/app"

// MaxLongPolls bounds concurrent waiting calls.
const MaxLongPolls = 2048

// Strangers is the name under which unlocked profiles share long polls. Anybody who reaches the
// port can create them.
const Strangers = "strangers"

// ErrBusy refuses one long poll too many. An immediate answer would make agents poll in a loop.
var ErrBusy = app.E(app.CodeRateLimited, "too many calls are waiting already",
	"Wait 5 s, then call again; one waiting call per execution is enough.")
