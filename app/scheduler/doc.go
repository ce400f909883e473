// Package scheduler decides which execution runs next and how many run at once.
//
// # The queue
//
// The executions table is the queue: a submission inserts a row, and one loop claims the next row
// as soon as a run slot is free. Nothing about a waiting execution is kept elsewhere. Profiles take
// turns, so that one with a thousand waiting executions doesn't make another wait for them.
//
// Submit stores a row. If nothing waits and a slot is free, the same transaction claims it: it would
// be the next claim in any case. A claim needs no commit of its own, because it says no more than
// that a server took the row. A claimed row is never claimed again, and only the server named in
// the claim runs it.
//
// # Slots
//
// A Slot is the right to run. An execution that waits for an answer, or for a slow box, gives its
// slot away and gets one again before any that has not begun. So a host that doesn't answer costs
// others nothing. A slot ends with script and box; a profile with many ends that are still being
// checked gets nothing more claimed. Once as many executions wait for a class of boxes as there are slots, no more are
// claimed for it.
package scheduler
