# E15 returns too much and lets the error out: it names the limit
# decided-by: runner
# status: error
# error: return less
set_result("x" * (5 << 20))
