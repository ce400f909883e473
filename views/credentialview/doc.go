// Package credentialview renders credentials: list, form, test request and pasted .env files.
package credentialview
