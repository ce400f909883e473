# G07 goes on after the end: atexit, __del__, threads that never stop
# status: completed error timeout
# timeout: 5
# within: 15
import atexit
class Late:
    def __del__(self):
        raise RuntimeError("late")
late = Late()
atexit.register(lambda: os.fork())
atexit.register(lambda: time.sleep(100))
threading.Thread(target=lambda: sys.exit(3)).start()
threading.Thread(target=lambda: time.sleep(100)).start()
held()
