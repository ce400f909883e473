// Package ui is the admin UI: HTML pages and forms under /ui, for people with a session.
//
// It wires the packages of its pages, each with one subject, to routes. What they share is uix.
package ui
