// Package data serves a real public dataset, Seattle's daily weather, to holders of a token.
// SOURCE.md says where it comes from.
package data
