// Package executions answers the pages about executions: the list, one execution, comparison, print
// and download.
package executions
