package store

import (
	"context"
	"strings"
	"unicode"
)

// selectWords reads what makes executions findable by their words. Their other tables must be
// written already. What a skill's script says is the same in all its runs, so its name stands for it.
const selectWords = `SELECT x.id, x.handle || char(10) || x.label || char(10) || x.skill || char(10) ||
		x.profile_description || char(10) ||
		x.error || char(10) || iif(x.skill = '', substr(coalesce(s.clean, ''), 1, 8000), '') || char(10) ||
		substr(coalesce(s.clean_inputs, ''), 1, 4000) || char(10) ||
		substr(coalesce(o.stdout, ''), 1, 4000) || char(10) || substr(coalesce(o.stderr, ''), 1, 4000) || char(10) ||
		substr(coalesce(o.result, ''), 1, 4000)
	FROM executions x LEFT JOIN execution_scripts s ON s.execution_id = x.id
		LEFT JOIN execution_outputs o ON o.execution_id = x.id WHERE `

// wordsAtOnce bounds how many texts are held in memory.
const wordsAtOnce = 100

type executionWords struct {
	id   int64
	text string
}

// keepWords indexes the words of up to wordsAtOnce executions, and returns the last of their rows;
// 0 if there are none.
func (tx Executions) keepWords(ctx context.Context, where string, args ...any) (last int64, err error) {
	var found []executionWords
	err = tx.rows(ctx, func(scan func(to ...any) error) error {
		var w executionWords
		err := scan(&w.id, &w.text)
		found = append(found, w)
		return err
	}, selectWords+where, args...)
	if err != nil {
		return 0, failed("read words", err)
	}
	for _, w := range found {
		if _, err := tx.insert(ctx, "INSERT INTO execution_words (rowid, text) VALUES (?, ?)",
			w.id, splitWords(w.text)); err != nil {
			return 0, failed("index words", err)
		}
		last = w.id
	}
	return last, nil
}

// KeepWordsAfter indexes the words of the executions that were loaded into rows after that one.
func (tx Executions) KeepWordsAfter(ctx context.Context, row int64) error {
	for {
		last, err := tx.keepWords(ctx, "x.id > ? AND x.completed_at > 0 ORDER BY x.id LIMIT ?", row, wordsAtOnce)
		if err != nil || last == 0 {
			return err
		}
		row = last
	}
}

// splitWords puts spaces around the characters of scripts that write without them, such as Chinese,
// Japanese and Thai. The index then finds any run of them as a phrase.
func splitWords(text string) string {
	if strings.IndexFunc(text, writtenWithoutSpaces) < 0 {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) * 2)
	for _, r := range text {
		if !writtenWithoutSpaces(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteByte(' ')
		b.WriteRune(r)
		b.WriteByte(' ')
	}
	return b.String()
}

func writtenWithoutSpaces(r rune) bool {
	return r >= '\u0e00' && unicode.In(r, unicode.Thai, unicode.Lao, unicode.Myanmar, unicode.Khmer, unicode.Han,
		unicode.Hiragana, unicode.Katakana)
}
