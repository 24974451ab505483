# SPDX-License-Identifier: MIT
"""What the servers of the tests share: commands of Redis' protocol are read from many connections, one after the other."""
import selectors
import time


def parse(buffer):
    """Take one command off the front of a bytearray: an array or a line. Returns its words, or None when it is not whole."""
    end = buffer.find(b"\r\n")
    if end < 0:
        return None
    if not buffer.startswith(b"*"):
        words = bytes(buffer[:end]).split()
        del buffer[:end + 2]
        return words
    words, at = [], end + 2
    for _ in range(int(buffer[1:end])):
        end = buffer.find(b"\r\n", at)
        size = int(buffer[at + 1:end]) if end >= 0 else 0
        if end < 0 or len(buffer) < end + size + 4:
            return None
        words.append(bytes(buffer[end + 2:end + 2 + size]))
        at = end + size + 4
    del buffer[:at]
    return words


def serve(listener, answer, opened=None, size=65536, pause=0):
    """Serve for ever. answer(link, words) returns what is sent once all commands of a read are answered; opened(link) is called for each
    new connection. At most size bytes are read at a time, and pause seconds pass after each read."""
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    buffers = {}
    while True:
        for key, _ in selector.select():
            link = key.fileobj
            if link is listener:
                link, _ = listener.accept()
                if opened:
                    opened(link)
                buffers[link] = bytearray()
                selector.register(link, selectors.EVENT_READ)
                continue
            try:
                data = link.recv(size)
                if pause:
                    time.sleep(pause)
                buffers[link] += data
                out = b""
                words = parse(buffers[link]) if data else None
                while words is not None:
                    out += answer(link, words) if words else b""
                    words = parse(buffers[link])
                if out:
                    link.sendall(out)
            except OSError:
                data = b""
            if not data:
                selector.unregister(link)
                del buffers[link]
                link.close()
