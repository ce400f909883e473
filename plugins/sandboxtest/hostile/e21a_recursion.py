# E21 recurses without end
# status: error
# error: RecursionError
def f(n):
    return f(n + 1)
f(0)
