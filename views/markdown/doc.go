// Package markdown renders Markdown that nobody trusts: as HTML that loads nothing and leads nowhere.
package markdown
