// Package multimatch finds many texts in another one in one pass.
//
// It is an Aho-Corasick automaton over bytes. All occurrences count, not just the leftmost or the
// longest, and the time is linear in the text, whatever the text and the patterns are. Existing
// packages report non-overlapping matches of whole texts only.
//
// A caller that needs nothing else calls Each. One that takes a text in pieces, or ties more to a
// match than its place, keeps the state itself: it skips what begins no pattern with Skip, goes on
// with Step, and asks End of each state whether a pattern ends there.
//
// Building an automaton is hardly more than copying the patterns. What follows from a mismatch is
// worked out when a text first gets there, so ordinary text never pays for it.
package multimatch
