package main

import "testing"

func TestAnswerByRule(t *testing.T) {
	got := answerByRule("Sum up:\nMay: 14.8 mm on 3 wet days, 1 to 2 C\nJuly: 2.3 mm on 1 wet days\nDecember: 284.5 " +
		"mm on 24 wet days")
	if got != "The wettest month was December with 284.5 mm. The driest was July with 2.3 mm." {
		t.Error(got)
	}
}
