"""Prints what libudev's monitor announces, one "ACTION NODE" a line, until a node is removed.

Makes FOLDER/plug once it listens, and FOLDER/unplug once a node is added.
"""

import ctypes
import pathlib
import select
import sys

udev = ctypes.CDLL("libudev.so.1")
for name in ["udev_new", "udev_monitor_new_from_netlink", "udev_monitor_receive_device"]:
    getattr(udev, name).restype = ctypes.c_void_p
for name in ["udev_device_get_action", "udev_device_get_devnode"]:
    getattr(udev, name).restype = ctypes.c_char_p

context = ctypes.c_void_p(udev.udev_new())
monitor = ctypes.c_void_p(udev.udev_monitor_new_from_netlink(context, b"udev"))
udev.udev_monitor_filter_add_match_subsystem_devtype(monitor, b"hidraw", None)
udev.udev_monitor_enable_receiving(monitor)
folder = pathlib.Path(sys.argv[1])
(folder / "plug").touch()
action = None
while action != "remove":
    select.select([udev.udev_monitor_get_fd(monitor)], [], [])
    device = ctypes.c_void_p(udev.udev_monitor_receive_device(monitor))
    action = udev.udev_device_get_action(device).decode()
    (folder / "unplug").touch()
    print(action, udev.udev_device_get_devnode(device).decode(), flush=True)
