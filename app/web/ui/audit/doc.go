// Package audit serves the audit log and its downloads.
package audit
