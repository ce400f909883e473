// Package markdown renders untrusted Markdown as HTML that loads nothing and has no links.
package markdown
