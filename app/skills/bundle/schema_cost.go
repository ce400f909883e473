package bundle

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp/syntax"
	"strconv"
	"strings"
)

// Costs in comparisons of one value with one part of a schema, and limits.
const (
	textOfValue   = 16   // bytes of a text
	patternOfPart = 4    // steps of a regular expression for each character
	maxPattern    = 1000 // bytes of a regular expression
	maxDigits     = 1000 // of a number: numbers are compared exactly, whatever their exponents
)

// weigh counts values and names. Long texts count as several, and overlong numbers as more than the
// limit.
func weigh(value any) (n int) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			n += weigh(item)
		}
	case map[string]any:
		for name, item := range value {
			n += weigh(name) + weigh(item)
		}
	case string:
		n = len(value) / textOfValue
	case json.Number:
		if digits(value) > maxDigits {
			n = maxComparisons
		}
	}
	return n + 1
}

// digits are at least those of a number that is written out, without an exponent.
func digits(number json.Number) int {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(string(number)), "e")
	e, _ := strconv.Atoi(exponent) // 0 for none, and the largest or smallest int for one beyond
	if e = max(e, -math.MaxInt32); e < 0 {
		e = -e
	}
	return len(mantissa) + min(e, math.MaxInt32)
}

// patterns counts the regular expressions that a field of a schema has.
func (x *expander) patterns(name string, value any) error {
	var all []string
	switch value := value.(type) {
	case string:
		if name == "pattern" {
			all = append(all, value)
		}
	case map[string]any:
		if name == "patternProperties" {
			for pattern := range value {
				all = append(all, pattern)
			}
		}
	}
	for _, pattern := range all {
		if len(pattern) > maxPattern {
			return fmt.Errorf("it has a pattern of more than %d bytes", maxPattern)
		}
		parsed, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			continue // the compiler says where
		}
		if err := x.count(steps(parsed) / patternOfPart); err != nil {
			return err
		}
	}
	return nil
}

// steps bounds a regular expression's work per character, and its memory, as its parts times their
// repeats. The parser limits that.
func steps(part *syntax.Regexp) (n int) {
	for _, sub := range part.Sub {
		n += steps(sub)
	}
	n += 1 + len(part.Rune)/2
	if part.Op == syntax.OpRepeat {
		n *= max(part.Min, part.Max, 1)
	}
	return n
}
