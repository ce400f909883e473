// Package assets holds the style sheet, scripts and mark of pages. File names contain content
// digests, so browsers cache them without end.
//
// css/NN-name.css and js/NN-name.js hold one subject a file. At start the program joins them in
// name order. All of js shares one function, so later files see earlier declarations.
package assets
