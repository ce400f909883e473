// Package remotebin carries airlock-remote, the program that the ssh backend uploads, inside
// whatever links it.
package remotebin
