// Package charset says which bytes belong to words, and writes letters in another case.
package charset
