"""A service that misbehaves as a seed says: python fuzz_child.py SEED VERSION.

It says hello, then answers each request with its own parameters, but out of order, twice, never, in pieces, between lines
that are no messages, or with answers that are none. It ends when its stdin does, or earlier.
"""

import json
import random
import sys

seed, version = int(sys.argv[1]), sys.argv[2]
rnd = random.Random(seed)
out = sys.stdout.buffer
GARBAGE = [
    b"",
    b"hello",
    b"{",
    b"[]",
    b"null",
    b'"x"',
    b"\xff\xfe\x00",
    b"[" * 3000,
    b'{"jsonrpc":"2.0"}',
    b'{"jsonrpc":"2.0","id":true,"result":"not yours"}',
    b'{"jsonrpc":"2.0","id":1.0,"result":"not yours"}',
    b'{"jsonrpc":"2.0","id":"1","result":"not yours"}',
    b'{"jsonrpc":"2.0","id":[1],"result":"not yours"}',
    b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}',
    b'{"jsonrpc":"2.0","id":999999,"result":"nobody asked"}',
    b'{"jsonrpc":"2.0","method":"hello","params":{"version":"other"}}',
    b'{"jsonrpc":"2.0","method":7,"id":{}}',
    b'{"jsonrpc":"2.0","method":"unknown/thing","id":5,"params":[[]]}',
]


def write(data):
    """In pieces, now and then."""
    while data:
        cut = rnd.randint(1, len(data)) if rnd.random() < 0.2 else len(data)
        out.write(data[:cut])
        out.flush()
        data = data[cut:]


hello = {"protocol": 1, "version": version, "hash_version": "1", "pid": 1, "methods": []}
write(json.dumps({"jsonrpc": "2.0", "method": "hello", "params": hello}).encode() + b"\n")
kept = []
for line in sys.stdin.buffer:
    request = json.loads(line)
    if "method" not in request:
        continue
    kept.append(request)
    if rnd.random() < 0.3:
        write(rnd.choice(GARBAGE) + b"\n")
    if rnd.random() < 0.5 and len(kept) < 3:
        continue  # until more have come
    rnd.shuffle(kept)
    for one in kept:
        number, roll = one["id"], rnd.random()
        answer = {"jsonrpc": "2.0", "id": number, "result": one.get("params")}
        if roll < 0.1:
            answer = {"jsonrpc": "2.0", "id": number, "error": rnd.choice([{"code": -32603, "message": "no"}, {}, "no", 7, None])}
        elif roll < 0.15:
            answer = {"jsonrpc": "2.0", "id": number}
        elif roll < 0.17:
            continue  # never
        write(json.dumps(answer).encode() + b"\n")
        if roll > 0.9:
            write(json.dumps({"jsonrpc": "2.0", "id": number, "result": "twice"}).encode() + b"\n")
        if roll > 0.995:
            write(b'{"jsonrpc":"2.0","id":')
            sys.exit(3)
    kept = []
