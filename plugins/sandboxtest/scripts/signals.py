# Ends children in every way, and checks that the parent sees it unchanged.
import os, signal

for code in range(256):
    pid = os.fork()
    if pid == 0:
        os._exit(code)
    _, status = os.waitpid(pid, 0)
    if not os.WIFEXITED(status) or os.WEXITSTATUS(status) != code:
        print("code", code, status)
for s in range(1, 32):
    if s in (signal.SIGCHLD, signal.SIGCONT, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
             signal.SIGURG, signal.SIGWINCH):
        continue
    pid = os.fork()
    if pid == 0:
        if s != signal.SIGKILL:
            signal.signal(s, signal.SIG_DFL)
        os.kill(os.getpid(), s)
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != s or os.WCOREDUMP(status):
        print("signal", s, status)
