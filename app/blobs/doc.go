// Package blobs keeps blobs by name: in a directory, or in S3-compatible storage. A blob is written
// once and never changed.
package blobs
