# E21 crashes the interpreter
# status: error
# error: signal
ctypes.string_at(0)
