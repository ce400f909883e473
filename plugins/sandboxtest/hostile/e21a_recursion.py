# E21 recurses without end
# decided-by: runner
# status: error
# error: RecursionError
def f(n):
    return f(n + 1)
f(0)
