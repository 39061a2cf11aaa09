"""What folders cost that were made to be costly: a million files, deep trees, huge files.

Files of one inode (hard links of an empty or a small file) are as many names, and quicker to make.
"""

import hashlib
import os
import shutil

import folders
from harness import KEYBACKUP, ms, on_terminal, table


def name_of_wallet(number):
    return f"wallet-{hashlib.sha256(b'%d' % number).hexdigest()}.json"


def name_of_operation(number):
    return f"{number + 1:08d}-{hashlib.sha256(b'%d' % number).hexdigest()[:32]}.json"


def odd_name(number):
    return f"wallet-{number} (conflicted copy of a computer with a long name).json"


def links(count, name):
    """Fills a folder with names of files, 50,000 to an inode."""
    def fill(folder):
        os.makedirs(folder, exist_ok=True)
        for number in range(count):
            path = os.path.join(folder, name(number))
            if number % 50000 == 0:
                first = path
                with open(path, "wb") as file:
                    file.write(b"{}")
            else:
                os.link(first, path)
    return fill


def tree(count):
    """Folders in folders, 100 deep, again and again."""
    def fill(folder):
        for number in range(count // 100):
            os.makedirs(os.path.join(folder, str(number), *["d"] * 99))
    return fill


def sparse(count):
    """Files of 10 GB that take no room."""
    def fill(folder):
        os.makedirs(folder, exist_ok=True)
        for number in range(count):
            with open(os.path.join(folder, name_of_wallet(number)), "wb") as file:
                file.truncate(10 * 1000 ** 3)
    return fill


def measure(count):
    log = os.path.join("keybackup", "log", "0123456789abcdef" * 2)
    cases = [
        ("nothing added", None, None),
        (f"{count:,} wallets that are none", "wallets", links(count, name_of_wallet)),
        (f"{count:,} conflict copies that are none", "wallets", links(count, odd_name)),
        (f"{count:,} operations that are none", log, links(count, name_of_operation)),
        (f"{count:,} other files in a log", log, links(count, odd_name)),
        (f"{count:,} folders, 100 deep", "wallets", tree(count)),
        ("100 wallets of 10 GB", "wallets", sparse(100))]
    rows = []
    for title, place, fill in cases:
        folder = folders.Folder("imported", 10)
        if fill:
            fill(os.path.join(folder.namespace, place))
        used = {}
        for what in (["verify"], ["verify", "--deep"], ["restore"]):
            used[" ".join(what)] = on_terminal(
                KEYBACKUP, *what, "--json", "--folder", folder.path, fails=True)
        lines = used["verify"][1].count('"reason"')
        rows.append((title, *(f"{ms(1000 * one['seconds'])}, {one['kib'] / 1024:.0f} MiB"
                              for one, _ in used.values()), lines))
        shutil.rmtree(folder.base)
    table("Crafted folders: time and peak memory",
          ["in a backup of 10 wallets", "`verify`", "`verify --deep`", "`restore --json`",
           "findings named"], rows)
