// Package executionview renders executions: the list, one execution, two compared.
package executionview
