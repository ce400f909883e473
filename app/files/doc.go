// Package files keeps what agents send for their scripts (files) and what scripts leave
// (artifacts).
//
// A content lies once in a storage (app/blobs), however many files and artifacts have it. It is
// sealed in the chunks of the .airlock format with a key of its own, bound to the blob's name; that
// key is sealed in the blob's row. So a blob that is moved under another name doesn't open, and a
// new instance key means new rows, not new blobs.
//
// A blob is on the disk before its row, and its row before anybody is told of the file. After a
// crash a blob may have no row, and a row nothing that refers to it: Collect removes both, a blob
// that no row knows once it is a day old.
//
// On the way contents lie in a Spool: a temporary file without a name, sealed with a key that is in
// memory only.
package files
