# G04 sets the result twice, from a thread; the last one counts
# decided-by: runner
set_result(1)
t = threading.Thread(target=set_result, args=(2,))
t.start()
t.join()
for bad in (b"x", float("nan"), object(), {1: {2: {3}}, "s": object()}):
    refused("bad result", lambda: set_result(bad), allow=(TypeError, ValueError))
held()
