"""An Ethernet switch between TAP devices that is slow, loses frames, or is cut, as it is told.

usage: relay.py DEVICE...

Makes the devices, writes "ready", and takes commands from standard input, a line each:
  delay MILLISECONDS   of each frame, one way
  rate MBIT            of each device, in each direction; 0: no limit
  loss PERCENT         of all frames
  cut DEVICE DEVICE    nothing passes between the two
  heal                 all cuts
It answers each with "done", and ends with its input. One thread; the devices go with it.
"""

import fcntl
import heapq
import os
import random
import selectors
import struct
import sys
import time

TUNSETIFF = 0x400454CA
IFF_TAP = 0x0002
IFF_NO_PI = 0x1000
LONGEST_FRAME = 65536
# what waits for a device with a limited rate; what comes on top is dropped, as by a router
QUEUE_SECONDS = 0.1
FRAMES_PER_TURN = 64


def open_device(name):
    descriptor = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(descriptor, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TAP | IFF_NO_PI))
    return descriptor


class Relay:
    def __init__(self, names):
        self.devices = {name: open_device(name) for name in names}
        self.names = {descriptor: name for name, descriptor in self.devices.items()}
        self.places = {}
        self.cuts = set()
        self.delay = 0.0
        self.seconds_per_byte = 0.0
        self.loss = 0.0
        self.random = random.Random(1)
        self.due = []
        self.order = 0
        self.free = {}

    def command(self, line):
        word, *arguments = line.split()
        if word == "delay":
            self.delay = float(arguments[0]) / 1e3
        elif word == "rate":
            rate = float(arguments[0])
            self.seconds_per_byte = 8 / (rate * 1e6) if rate else 0.0
        elif word == "loss":
            self.loss = float(arguments[0]) / 100
        elif word == "cut":
            self.cuts.add(frozenset(arguments))
        elif word == "heal":
            self.cuts.clear()
        else:
            raise ValueError("unknown command: " + line)

    def through(self, way, size, start):
        """When a frame has passed a direction of a device; None if it does not."""
        if not self.seconds_per_byte:
            return start
        begin = max(start, self.free.get(way, 0.0))
        if begin - start > QUEUE_SECONDS:
            return None
        self.free[way] = begin + size * self.seconds_per_byte
        return self.free[way]

    def read(self, source):
        for _ in range(FRAMES_PER_TURN):
            try:
                frame = os.read(source, LONGEST_FRAME)
            except BlockingIOError:
                return
            self.places[frame[6:12]] = source
            place = self.places.get(frame[0:6])
            now = time.monotonic()
            for target in self.names if place is None else (place,):
                if target != source:
                    self.forward(source, target, frame, now)

    def forward(self, source, target, frame, now):
        if frozenset((self.names[source], self.names[target])) in self.cuts:
            return
        if self.loss and self.random.random() < self.loss:
            return
        sent = self.through((source, "out"), len(frame), now)
        if sent is None:
            return
        arrival = self.through((target, "in"), len(frame), sent)
        if arrival is None:
            return
        arrival += self.delay
        if arrival <= now:
            self.write(target, frame)
        else:
            self.order += 1
            heapq.heappush(self.due, (arrival, self.order, target, frame))

    def write(self, target, frame):
        try:
            os.write(target, frame)
        except OSError:
            # the device is down, or its queue is full: a network drops the frame
            pass

    def deliver(self):
        """Writes what is due; returns the seconds until the next, None if nothing waits."""
        while self.due:
            wait = self.due[0][0] - time.monotonic()
            if wait > 0:
                return wait
            _, _, target, frame = heapq.heappop(self.due)
            self.write(target, frame)
        return None

    def run(self):
        selector = selectors.DefaultSelector()
        for descriptor in self.names:
            selector.register(descriptor, selectors.EVENT_READ)
        os.set_blocking(sys.stdin.fileno(), False)
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        print("ready", flush=True)
        text = b""
        while True:
            for key, _ in selector.select(self.deliver()):
                if key.fd != sys.stdin.fileno():
                    self.read(key.fd)
                    continue
                data = os.read(key.fd, 4096)
                if not data:
                    return
                *lines, text = (text + data).split(b"\n")
                for line in lines:
                    self.command(line.decode())
                    print("done", flush=True)


if __name__ == "__main__":
    Relay(sys.argv[1:]).run()
