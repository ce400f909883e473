// Package auditview renders the audit log.
package auditview
