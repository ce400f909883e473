// Package blobs keeps immutable blobs by name, in a directory or in S3-compatible storage.
package blobs
