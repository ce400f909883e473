// Package audit answers the page of the audit log, and its downloads.
package audit
