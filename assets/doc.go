// Package assets holds what pages load: the style sheet, the scripts and the mark. Each file is served under a name that contains a
// digest of its content, so browsers keep it for ever and never show an old one.
//
// The style sheet is written as css/NN-name.css and the script as js/NN-name.js, one subject per file. They are joined in the order of their names when the program
// starts, so that a page loads one of each. The files of js stand in one function: what one declares, those after it can use.
package assets
