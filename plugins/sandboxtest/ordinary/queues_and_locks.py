# talks to a process by queue, pipe, lock and manager
# except landlock: `multiprocessing` locks, queues, pools and managers don't work.
import multiprocessing as mp


def work(queue, pipe, lock, shared):
    with lock:
        queue.put("by queue")
        pipe.send("by pipe")
        shared["by"] = "manager"


if __name__ == "__main__":
    with mp.Manager() as manager:
        queue, lock, shared = mp.Queue(), mp.Lock(), manager.dict()
        ours, theirs = mp.Pipe()
        process = mp.Process(target=work, args=(queue, theirs, lock, shared))
        process.start()
        assert (queue.get(timeout=20), ours.recv()) == ("by queue", "by pipe")
        process.join()
        assert dict(shared) == {"by": "manager"}
    set_result("works")
