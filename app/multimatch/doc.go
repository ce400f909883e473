// Package multimatch finds many texts in another one in one pass.
//
// It is an Aho-Corasick automaton over bytes. It finds all occurrences, not just the leftmost or
// longest, in time linear in the text for any patterns.
//
// Most callers use Each. A caller with a text in pieces keeps the state: it calls Skip where no
// pattern has begun, then Step, and End for each state.
//
// Building hardly costs more than copying the patterns. Mismatches are worked out when a text first
// meets them.
package multimatch
