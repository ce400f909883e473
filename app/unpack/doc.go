// Package unpack reads what compressed files hold from front to back, in constant memory and without
// believing a size in them. It bounds nothing: who reads counts.
package unpack
