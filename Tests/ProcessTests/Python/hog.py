"""Keeps a group of processes waiting for memory, until it is ended.

    hog.py TASKS FILE

TASKS is the file by which a process enters a control group that has less memory than FILE, which is made here, is large. Reading all over a
file that does not fit throws out what is needed next, and each wait for it counts as pressure.
"""

import mmap
import os
import random
import sys

SIZE = 64 << 20

with open(sys.argv[1], "w") as tasks:
    tasks.write(str(os.getpid()))
# Whoever fills the page cache pays for it: so it is filled by the group.
with open(sys.argv[2], "wb") as file:
    for _ in range(SIZE >> 20):
        file.write(os.urandom(1 << 20))
    os.fsync(file.fileno())
with open(sys.argv[2], "rb") as file:
    pages = mmap.mmap(file.fileno(), SIZE, prot=mmap.PROT_READ)
print("ready", flush=True)
total = 0
while True:
    total += pages[random.randrange(0, SIZE, 4096)]
