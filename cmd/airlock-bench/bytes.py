import http.client
import random
import time

size, piece = inputs["size"], random.Random(1).randbytes(1 << 20)


def down(connection, headers):
    buffer = bytearray(len(piece))
    connection.request("GET", f"/?n={size}", headers=headers)
    answer = connection.getresponse()
    got = 0
    while n := answer.readinto(buffer):
        got += n
    check(answer, got)


def up(connection, headers):
    pieces = (piece for _ in range(size // len(piece)))
    headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream", **headers}
    connection.request("POST", "/", body=pieces, headers=headers)
    answer = connection.getresponse()
    answer.read()
    check(answer, size)


def check(answer, moved):
    if answer.status != 200 or moved != size:
        raise RuntimeError(f"status {answer.status} after {moved} of {size} bytes")


def timed(move, connection, headers):
    started = time.perf_counter()
    move(connection, headers)
    return time.perf_counter() - started


raw = http.client.HTTPConnection(*inputs["raw"])
passed = http.client.HTTPSConnection(inputs["passed"])
read = http.client.HTTPSConnection(inputs["read"])
sealed = {"Authorization": "Bearer " + settings.get(inputs["key"])}
ways = [(raw, {}), (passed, {}), (read, {}), (read, sealed)]
for connection, _ in ways:
    connection.connect()
set_result([[timed(move, *way) for move in (down, up)] for way in ways])
