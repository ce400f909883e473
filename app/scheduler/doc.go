// Package scheduler decides which execution runs next and how many run at once.
//
// # The queue
//
// The executions table is the queue: a submission inserts a row, and one loop claims the next row
// when a slot is free. Profiles take turns, each with its oldest row first.
//
// Submit stores a row, and claims it in the same transaction if nothing waits and a slot is free.
// A claimed row is never claimed again. Only the server named in the claim runs it.
//
// # Slots
//
// A Slot is the right to run. An execution that waits for an answer or a slow box gives its slot
// away, and gets one again before any that has not begun. A slot ends with script and box.
// A profile with many unfinished ends, or a class of boxes with as many waiting executions as there
// are slots, gets no more claimed.
package scheduler
