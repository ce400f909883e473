// Package credentialview renders credentials: the list, the form, the test request, pasted .env files.
package credentialview
