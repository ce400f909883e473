// Package ui serves the admin UI: HTML under /ui for people with a session.
//
// It routes to the packages of its pages. They share uix.
package ui
