# searches and cleans text
import difflib, re, string, textwrap, unicodedata
text = "2026-01-02: Grüße, 1.234,50 €\n2026-01-03: nothing\n"
assert re.findall(r"^(\d{4})-(\d\d)-(\d\d): (\w+)", text, re.M)[0] == ("2026", "01", "02", "Grüße")
assert unicodedata.normalize("NFD", "é") == "e\u0301" and string.Template("$a!").substitute(a="x") == "x!"
assert difflib.SequenceMatcher(None, "abcd", "abed").ratio() == 0.75
assert textwrap.shorten("one two three", 9) == "one [...]"
set_result("works")
