// Package executionview renders executions: the list, one execution, two compared, one on paper.
package executionview
