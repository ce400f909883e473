# E01 forks without end
# status: timeout error
# timeout: 3
while True:
    try:
        os.fork()
    except OSError:
        pass
