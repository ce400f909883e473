// Package executionview renders executions: list, details and comparison.
package executionview
