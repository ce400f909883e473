import http.client
import random
import time

size, rounds, piece = inputs["size"], inputs["rounds"], random.Random(1).randbytes(1 << 20)


def small(connection, headers):
    connection.request("GET", "/?n=100", headers=headers)
    check(connection.getresponse(), 100)


def down(connection, headers):
    connection.request("GET", f"/?n={size}", headers=headers)
    check(connection.getresponse(), size)


def up(connection, headers):
    pieces = (piece for _ in range(size // len(piece)))
    headers = {"Content-Length": str(size), "Content-Type": "application/octet-stream", **headers}
    connection.request("POST", "/?n=1", body=pieces, headers=headers)
    check(connection.getresponse(), 1)


def check(answer, wanted):
    buffer, got = bytearray(len(piece)), 0
    while n := answer.readinto(buffer):
        got += n
    if answer.status != 200 or got != wanted:
        raise RuntimeError(f"status {answer.status} with {got} of {wanted} bytes")


def timed(move, connection, headers):
    started = time.perf_counter()
    move(connection, headers)
    return time.perf_counter() - started


def fresh(connection, headers):
    connection.close()
    small(connection, headers)


def measure(connection, headers):
    small(connection, headers)
    return {
        "warm": [timed(small, connection, headers) for _ in range(rounds)],
        "new": [timed(fresh, connection, headers) for _ in range(rounds)],
        "down": timed(down, connection, headers),
        "up": timed(up, connection, headers),
    }


sealed = {"Authorization": "Bearer " + settings.get(inputs["key"])}
set_result({
    "plain, relayed": measure(http.client.HTTPConnection(*inputs["raw"]), {}),
    "TLS, relayed": measure(http.client.HTTPSConnection(inputs["passed"]), {}),
    "TLS, intercepted": measure(http.client.HTTPSConnection(inputs["read"]), {}),
    "TLS, with a swap": measure(http.client.HTTPSConnection(inputs["read"]), sealed),
})
