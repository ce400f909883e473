// Package assets holds what pages load: style sheet, scripts and mark. Each file has a digest of
// its content in its name, so browsers keep it for ever and never show an old one.
//
// The style sheet is written as css/NN-name.css and the script as js/NN-name.js, one subject a
// file. At start the program joins them in the order of their names. All of js stands in one
// function: declarations are visible to later files.
package assets
