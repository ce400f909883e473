// Package storefill fills a database with plausible ended executions, for tests and measurements.
// It writes rows directly, in large transactions.
package storefill
