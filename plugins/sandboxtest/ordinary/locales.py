# formats by locale, and reads and writes UTF-8
import locale, sys
assert locale.setlocale(locale.LC_ALL, "")
for encoding in (locale.getpreferredencoding(), sys.getfilesystemencoding()):
    assert encoding.upper().replace("-", "") == "UTF8"
assert locale.format_string("%.2f", 1234.5, grouping=True) == "1234.50"
open("Grüße-日本.txt", "w").write("žluť\n")
assert open("Grüße-日本.txt").read() == "žluť\n"
set_result("works")
