#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A server with the protocol of Redis that is not Redis: it keeps so many values in DRAM and counts what it reads from flash.

It takes a configuration file as redis-server does. It refuses words that a newer Redis alone knows, and ignores others. Its own words:
  dram KEYS          GET of another key than the last KEYS used ones counts as read from flash (default 0: none does)
  hide FIELD...      INFO has no field whose name begins so
  refuse COMMAND...  these commands have an error as reply
Under a name that ends in -mute it prints no version.
"""
import collections
import os
import socket
import sys

sys.dont_write_bytecode = True
import resp  # beside this file, also where it is copied


class Other:
    def __init__(self, path):
        self.settings = collections.defaultdict(list)
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words:
                    self.settings[words[0]] += words[1:]
        for word in self.settings:
            if word.startswith("enable-"):
                sys.exit("Bad directive: " + word)
        self.data, self.recent = {}, collections.OrderedDict()
        self.calls = collections.Counter()
        self.waits = self.served = 0
        self.room = int((self.settings["dram"] or ["0"])[-1])

    def touch(self, key):
        """Note a use of a key. Returns whether it was in DRAM."""
        held = not self.room or key in self.recent
        self.recent[key] = True
        self.recent.move_to_end(key)
        if len(self.recent) > self.room:
            self.recent.popitem(last=False)
        return held

    def info(self):
        times = os.times()
        fields = [("process_id", os.getpid()), ("used_memory", 1000000 + 1100 * len(self.data)), ("used_memory_rss", 2000000),
                  ("used_cpu_user", times.user), ("used_cpu_sys", times.system), ("flash_reads", self.waits), ("dram_reads", self.served),
                  ("evicted_keys", 0), ("expired_keys", 0)]
        fields += [("cmdstat_" + name, "calls=%d,usec=1" % n) for name, n in self.calls.items()]
        if self.data:
            fields.append(("db0", "keys=%d,expires=0" % len(self.data)))
        text = "".join("%s:%s\r\n" % each for each in fields if not each[0].startswith(tuple(self.settings["hide"]) or "\0"))
        return bulk(("# Other\r\n# Keyspace\r\n" + text).encode())

    def answer(self, words):
        name = words[0].decode("latin-1").lower()
        self.calls[name] += 1
        if name.upper() in self.settings["refuse"]:
            return b"-ERR unknown command\r\n"
        if name == "set":
            self.data[words[1]] = words[2]
            self.touch(words[1])
            return b"+OK\r\n"
        if name == "get":
            if self.touch(words[1]):
                self.served += 1
            else:
                self.waits += 1
            return bulk(self.data[words[1]]) if words[1] in self.data else b"$-1\r\n"
        if name == "info":
            return self.info()
        if name == "flushall":
            self.data.clear()
            self.recent.clear()
        fixed = {"ping": b"+PONG\r\n", "dbsize": b":%d\r\n" % len(self.data), "exists": b":%d\r\n" % (words[-1] in self.data), "hset": b":1\r\n",
                 "config": b"*0\r\n"}
        if name == "hset":
            self.data[words[1]] = b""
        return fixed.get(name, b"+OK\r\n")


def bulk(text):
    return b"$%d\r\n%s\r\n" % (len(text), text)


def main():
    if sys.argv[1:] == ["--version"]:
        if not sys.argv[0].endswith("-mute"):
            print("Other server v=255.1.2 sha=0 malloc=none")
        return
    server = Other(sys.argv[1])
    bind = (server.settings["bind"] or ["127.0.0.1"])[-1]
    port = int((server.settings["port"] or [os.path.basename(sys.argv[1]).split(".")[0]])[-1])
    listener = socket.create_server((bind, port), backlog=512)
    resp.serve(listener, lambda link, words: server.answer(words))


main()
