# E21 overflows the C stack
# status: error
# error: signal
import re
sys.setrecursionlimit(1 << 30)
class deep:
    def __repr__(self):
        return repr(self)
repr(deep())
