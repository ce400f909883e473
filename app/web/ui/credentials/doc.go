// Package credentials serves credential pages: list, details, test requests, deletion and pasted
// .env files.
package credentials
