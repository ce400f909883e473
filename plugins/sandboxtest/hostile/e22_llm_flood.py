# E22 fills the channel to the agent
# decided-by: runner
# status: error completed
# timeout: 20
try:
    llm.complete("x" * (1 << 28))
    breach("a question of 256 MiB went through")
except Exception as e:
    print(type(e).__name__)
held()
