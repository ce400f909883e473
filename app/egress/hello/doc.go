// Package hello reads the first message of a TLS client, to see which host it asks for before
// anything is passed on.
//
// It is strict: what two readers could understand differently is refused. The message may be cut
// into records, and records into reads, at any place, but nothing may stand between the pieces or
// behind them in the last record.
package hello
