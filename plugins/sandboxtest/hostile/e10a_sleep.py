# E10 sleeps for ever
# status: timeout
# timeout: 1
time.sleep(1e6)
