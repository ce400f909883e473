// Package store keeps Airlock's state in one SQLite file. Skeleton; replaced by the real one.
package store

// Store is the file.
type Store struct{}
