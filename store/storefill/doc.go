// Package storefill fills a database with plausible executions, as many as a test or a measurement
// wants. It writes rows as they end up after a real run, in large transactions, since a million
// runs through the real path would take hours.
package storefill
