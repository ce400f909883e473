# G09 ends with the code of an OOM kill, and it is none
# status: error
# error: 137
# not-error: memory
os._exit(137)
