// Package credentials answers the pages about credentials: the list, one credential, test requests,
// deletion, and pasted .env files.
package credentials
