# What the scenarios share. Each runs in the virtual machine, as root:
#   sh Tests/VM/scenarios/NAME PROGRAM FOLDER
# PROGRAM is the keybackup under test, FOLDER holds the other programs that were built. What
# every step said is left in the folder of results, for Tests/VMTests to judge.

set -u
keybackup=$1
programs=$2
results=$KEYBACKUP_VM_RESULTS
repository=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
chmod 755 "$work"

# step NAME COMMAND...: NAME.out, NAME.err, NAME.code and NAME.seconds.
step() {
  name=$1
  shift
  begin=$(seconds)
  "$@" >"$results/$name.out" 2>"$results/$name.err" </dev/null
  echo $? >"$results/$name.code"
  echo "$begin $(seconds)" | awk '{ print $2 - $1 }' >"$results/$name.seconds"
}

seconds() { cut -d ' ' -f 1 /proc/uptime; }

# on BUS OPTION... -- COMMAND...: a program with simulated keys in view.
on() {
  bus=$1
  shift
  "$programs/virtual-key" --bus "$bus" "$@"
}

# rules debian|own|none: which udev rules there are from now on.
rules() {
  umount -q /usr/lib/udev/rules.d
  rm -f /etc/udev/rules.d/*
  [ "$1" = debian ] || mount -t tmpfs tmpfs /usr/lib/udev/rules.d
  [ "$1" != own ] || cp "$repository/udev-rules/70-keybackup.rules" /etc/udev/rules.d/
  udevadm control --reload
}

# person NAME: an unprivileged user's home.
person() {
  mkdir -p "$work/$1"
  echo 1234 >"$work/$1/pin"
  chmod 600 "$work/$1/pin"
  chown -R 4242:4242 "$work/$1"
}

# The command where everybody may run it: the folder it was built in, and the one Swift
# was unpacked in, may be somebody's own.
publish() {
  mkdir "$public"
  cp "$keybackup" "$public/keybackup"
  ldd "$keybackup" | sed -n 's/.*=> \([^ ]*swift[^ ]*\) .*/\1/p' | xargs -r cp -L -t "$public"
}
public=$work/programs

# In no group but their own, and in plugdev: no root, no capabilities.
outsider="setpriv --reuid 4242 --regid 4242 --clear-groups env HOME=$work/outsider LD_LIBRARY_PATH=$public"
member="setpriv --reuid 4242 --regid 4242 --groups plugdev env HOME=$work/member LD_LIBRARY_PATH=$public"

echo 1234 >"$work/pin"
chmod 600 "$work/pin"
salt=hex:0707070707070707070707070707070707070707070707070707070707070707
