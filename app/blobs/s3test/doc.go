// Package s3test runs a real S3 server for tests: the Versity S3 Gateway on a temporary directory.
// It is built once per version from a module of its own (app/blobs/s3server), outside the product's
// go.mod, into the user's cache directory. The build takes some minutes; `make test` does it before
// the tests.
package s3test
