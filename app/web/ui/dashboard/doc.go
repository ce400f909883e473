// Package dashboard answers the pages about the instance as a whole: overview, inbox, sandbox,
// statistics, search, and the event stream that tells open pages what changed.
package dashboard
