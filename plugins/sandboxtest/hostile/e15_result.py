# E15 sets results that are too large, too deep or not JSON
# decided-by: runner
# timeout: 30
import json
def too_much(what, data):
    try:
        set_result(data)
    except Exception as e:
        print(what, type(e).__name__)
    else:
        breach(what + " was taken")
too_much("100 MB", "x" * (100 << 20))
deep = []
for _ in range(100000):
    deep = [deep]
too_much("depth", deep)
too_much("NaN", float("nan"))
too_much("Infinity", {"a": [float("inf")]})
too_much("lone surrogate", "\ud800")
too_much("bytes", b"\x00")
too_much("object", object())
cycle = []
cycle.append(cycle)
too_much("cycle", cycle)
too_much("a million keys", {str(i): "x" * 8 for i in range(1000000)})
set_result(10 ** 3000)
held()
