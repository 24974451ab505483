#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A Redis that answers late, wrongly or not at all, and logs the truth: when each SET and GET was answered.

It does one thing after the other, as Redis does: a delay holds up every connection. Options:
  --port-file FILE      listen on a free port of 127.0.0.1 and write it to FILE
  --log FILE            for each SET and GET: microseconds since the epoch just before its reply was sent
  --stall PERIOD:LENGTH do nothing in the first LENGTH seconds of each PERIOD, counted from the first SET or GET
  --delay S[:EVERY]     take S seconds for each SET and GET, or for one in EVERY
  --reply COMMAND=RAW   answer COMMAND with these bytes (backslash escapes)
  --silent COMMAND      never answer COMMAND, and log `silent COMMAND`; * is all of them
  --rate BYTES          read at most so many bytes a second
"""
import argparse
import socket
import sys
import time

sys.dont_write_bytecode = True
import resp  # beside this file

FIXED = {b"PING": b"+PONG\r\n", b"DBSIZE": b":0\r\n", b"EXISTS": b":0\r\n", b"HSET": b":1\r\n", b"FLUSHALL": b"+OK\r\n", b"SET": b"+OK\r\n",
         b"GET": b"$-1\r\n", b"INFO": b"$14\r\n# Keyspace\r\n\r\n\r\n"}


class Server:
    def __init__(self, options):
        self.options = options
        self.log = open(options.log, "w", buffering=1)
        self.replies = dict(FIXED)
        for each in options.reply:
            command, raw = each.split("=", 1)
            self.replies[command.encode()] = raw.encode().decode("unicode_escape").encode("latin-1")
        delay, _, every = (options.delay or "0").partition(":")
        self.delay, self.every = float(delay), int(every or 1)
        period, _, length = (options.stall or "0:0").partition(":")
        self.period, self.length = float(period), float(length)
        self.begun = None
        self.served = 0

    def hold(self):
        """Take the time that this SET or GET takes."""
        now = time.monotonic()
        if self.begun is None:
            self.begun = now
        self.served += 1
        if self.length:
            into = (now - self.begun) % self.period
            if into < self.length:
                time.sleep(self.length - into)
        if self.delay and self.served % self.every == 0:
            time.sleep(self.delay)

    def answer(self, connection, words):
        """Answer at once: a wait is between this reply and the one before."""
        command = words[0].upper()
        if command.decode("latin-1") in self.options.silent or "*" in self.options.silent:
            self.log.write("silent %s\n" % command.decode("latin-1"))
            return b""
        load = command in (b"SET", b"GET")
        if load:
            self.hold()
        now = time.time()
        connection.sendall(self.replies.get(command, b"-ERR unknown command\r\n"))
        if load:
            self.log.write("%d\n" % (now * 1e6))
        return b""

    def opened(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self.options.rate:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)

    def run(self):
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        with open(self.options.port_file, "w") as file:
            file.write("%d\n" % listener.getsockname()[1])
        rate = self.options.rate
        resp.serve(listener, self.answer, self.opened, rate // 20 if rate else 65536, 0.05 if rate else 0)


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--port-file", required=True)
    parser.add_argument("--log", required=True)
    parser.add_argument("--stall")
    parser.add_argument("--delay")
    parser.add_argument("--reply", action="append", default=[])
    parser.add_argument("--silent", action="append", default=[])
    parser.add_argument("--rate", type=int, default=0)
    Server(parser.parse_args()).run()


main()
