// Package blobs keeps backup files somewhere: in a directory, or in S3-compatible storage. Files
// are small in number, written once and never changed.
package blobs
