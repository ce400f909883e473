# Outside of a box: what a script finds in one, and names that lead to the benchmark's service.
import json
import socket
import sys

given = json.load(sys.stdin)
inputs, settings, connect = given["inputs"], given["settings"], socket.create_connection


def set_result(data):
    json.dump(data, sys.stdout)


socket.create_connection = lambda address, *rest, **named: connect(given["places"][address[0]], *rest, **named)
