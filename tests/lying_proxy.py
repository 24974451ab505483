# SPDX-License-Identifier: MIT
"""A proxy before one Redis that lies: it answers :0 to every STEP-th SETBIT and drops it. It writes the bits that it dropped into a file."""
import socket
import sys
import threading

server, step, dropped = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
seen = 0
lock = threading.Lock()


def command(stream):
    """Read one command. Returns its bytes and its words, or None at the end."""
    head = stream.readline()
    if not head:
        return None, None
    raw, words = head, []
    for _ in range(int(head[1:])):
        size = stream.readline()
        word = stream.read(int(size[1:]) + 2)
        raw += size + word
        words.append(word[:-2])
    return raw, words


def reply(stream):
    """Read one reply."""
    line = stream.readline()
    if line[:1] == b"$" and line != b"$-1\r\n":
        return line + stream.read(int(line[1:]) + 2)
    return line


def serve(client):
    """Answer one client until it leaves."""
    global seen
    up = socket.create_connection(("127.0.0.1", server))
    inward, outward = client.makefile("rb"), up.makefile("rb")
    while True:
        raw, words = command(inward)
        if raw is None:
            return
        if words[0].upper() == b"SETBIT":
            with lock:
                seen += 1
                lie = seen % step == 0
                if lie:
                    with open(dropped, "a", encoding="ascii") as log:
                        log.write(words[2].decode() + "\n")
            if lie:
                client.sendall(b":0\r\n")
                continue
        up.sendall(raw)
        client.sendall(reply(outward))


def main():
    """Listen and answer."""
    port = int(sys.argv[4])
    listener = socket.create_server(("127.0.0.1", port))
    while True:
        client, _ = listener.accept()
        threading.Thread(target=serve, args=(client,), daemon=True).start()


main()
