// Package assets holds what pages load: the style sheet, the scripts and the mark. Each file is served under a name that contains a
// digest of its content, so browsers keep it for ever and never show an old one.
package assets
