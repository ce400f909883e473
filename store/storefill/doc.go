// Package storefill fills a database with plausible executions, for tests and measurements. It
// writes rows as they end up after a real run, in large transactions, since a million runs through
// the real path would take hours.
package storefill
