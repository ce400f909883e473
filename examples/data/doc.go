// Package data serves Seattle's daily weather to holders of a token. SOURCE.md names the source.
package data
