// Package files keeps agents' uploads (files) and scripts' output files (artifacts).
//
// Equal files and artifacts share one content in a storage (app/blobs). It is sealed in the chunks
// of the .airlock format with its own key, bound to the blob's name; the blob's row holds that key,
// sealed. So a renamed blob doesn't open, and a new instance key needs new rows, not new blobs.
//
// A blob is stored before its row, and its row before the answer. After a crash there may be a blob
// without a row, or an unreferenced row: Collect removes both, a blob without a row once it is a
// day old.
//
// Contents in transit are in a Spool: an unnamed temporary file, sealed with a key in memory.
package files
