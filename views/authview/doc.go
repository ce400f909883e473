// Package authview renders logins, the choice of a password, and confirmations.
package authview
