"""The computers of a page: homes, synced folders, security keys, and the shell of one of them."""
import glob, os, re, shlex, shutil, subprocess, tempfile

from shell import Shell

PIN, NEW_PIN = "246810", "135790"
SYNCED = ["Nextcloud", "Cloud", "Sync", "Dropbox"]
# The published test vectors of BIP-32 and BIP-39: wallets that hold nothing.
WORDS = "abandon " * 11 + "about"
XPRV = ("xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TG"
        "tRBeJgk33yuGBxrMPHi")
XPUB = ("xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TM"
        "g7usUDFdp6W1EGMcet8")
LABEL = '{"type":"addr","ref":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq","label":"Invoice 2041"}'
WALLET_FILES = {
    "savings.txt": WORDS, "spending.txt": XPRV, "shop.txt": XPUB, "shop-labels.jsonl": LABEL}
WORDS_OF_A_SCENE = ["no-pin", "wallet-files", "backup", "spare", "kit", "credential", "new-computer"]

# The command as a person types it: the simulated keys that are plugged in are in view.
WRAPPER = """#!/bin/sh
[ -z "${UMOCKDEV_DIR:-}" ] || exec %(keybackup)s "$@"
exec %(virtual_key)s $(cat %(root)s/plugged) -- %(keybackup)s "$@"
"""


class SceneError(Exception):
    """The scene could not be made."""


class World:
    def __init__(self, repository, keybackup, virtual_key):
        # A short path: sockets of the simulated key lie below.
        self.root = os.path.realpath(tempfile.mkdtemp(prefix="keybackup-documents.", dir="/tmp"))
        self.repository, self.keybackup, self.virtual_key = repository, keybackup, virtual_key
        self.pin, self.code, self.computer, self.shell = PIN, None, None, None
        self.pages = set()
        for name in ("bin", "keys", "tmp"):
            os.mkdir(f"{self.root}/{name}")
        with open(f"{self.root}/pin", "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
            file.write(PIN + "\n")
        paths = {name: shlex.quote(getattr(self, name)) for name in ("root", "keybackup", "virtual_key")}
        with open(f"{self.root}/bin/keybackup", "w", opener=lambda p, f: os.open(p, f, 0o755)) as file:
            file.write(WRAPPER % paths)
        os.symlink(virtual_key, f"{self.root}/bin/virtual-key")
        self.go_to("laptop", synchronised=False)

    def close(self):
        if self.shell:
            self.shell.close()
        shutil.rmtree(self.root, ignore_errors=True)

    # Computers

    def home(self, computer=None):
        return f"{self.root}/{computer or self.computer}/home/alice"

    def environment(self):
        home = self.home()
        return {
            "PATH": f"{self.root}/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": home,
            "USER": "alice", "LOGNAME": "alice", "SHELL": "/bin/bash", "LANG": "C.UTF-8",
            "TERM": "xterm", "NO_COLOR": "1", "TMPDIR": f"{self.root}/tmp",
            "XDG_RUNTIME_DIR": f"{self.root}/{self.computer}/run", "KEYBACKUP_SOURCE": self.repository,
        }

    def go_to(self, name, synchronised=True):
        """Sits down at another computer; the synced folders come along."""
        before, self.computer = self.computer, name
        home = self.home()
        is_new = not os.path.exists(home)
        if is_new:
            os.makedirs(f"{home}/Nextcloud")
            os.makedirs(f"{home}/.config/Nextcloud")
            os.mkdir(f"{self.root}/{name}/run", 0o700)
            with open(f"{home}/.config/Nextcloud/nextcloud.cfg", "w") as file:
                file.write(f"[Accounts]\n0\\Folders\\1\\localPath={home}/Nextcloud/\n")
        if before and before != name and (synchronised or is_new):
            for folder in SYNCED:
                source, target = f"{self.home(before)}/{folder}", f"{home}/{folder}"
                if os.path.exists(source):
                    shutil.rmtree(target, ignore_errors=True)
                    shutil.copytree(source, target, symlinks=True)
        if self.shell:
            self.shell.close()
        self.shell = Shell(self.environment(), home)

    def bring_together(self):
        """What every computer wrote into the synced folders is everywhere."""
        homes = [f"{self.root}/{name}/home/alice" for name in os.listdir(self.root)]
        homes = [home for home in homes if os.path.isdir(home)]
        for folder in SYNCED:
            for source in homes:
                for target in homes:
                    if source != target and os.path.isdir(f"{source}/{folder}"):
                        os.makedirs(f"{target}/{folder}", exist_ok=True)
                        subprocess.run(
                            ["cp", "-a", "--update", f"{source}/{folder}/.", f"{target}/{folder}"],
                            check=True)

    def shown(self, text):
        """What the terminal would show if the home were /home/alice."""
        return re.sub(re.escape(self.root) + r"/[\w-]+/home/alice", "/home/alice", text)

    # Security keys

    def plug(self, names, pin=True):
        options = []
        for name in names:
            state = f"{self.root}/keys/{name}.json"
            if not os.path.exists(state):
                setting = ["--pin", PIN] if pin else []
                subprocess.run(
                    [self.virtual_key, "--state", state, *setting, "--", "true"], check=True)
            options += ["--key", state]
        with open(f"{self.root}/plugged", "w") as file:
            file.write(" ".join(options or ["--no-key"]))

    def learn_code(self):
        """Reads the code off a recovery kit's page that a command has just made."""
        for path in glob.glob(f"{self.home()}/**/*.html", recursive=True):
            with open(path, encoding="utf-8", errors="replace") as file:
                # Five groups of four, and Crockford's check symbol.
                found = re.search(r"\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){4}-[0-9A-Z*~$=]", file.read())
            if found and path not in self.pages:
                self.pages.add(path)
                self.code = found.group()

    # Scenes

    def set(self, words):
        unknown = [word for word in words if word not in WORDS_OF_A_SCENE]
        if unknown:
            raise SceneError(f"unknown words in the scene: {', '.join(unknown)}")
        self.plug(["blue"], pin="no-pin" not in words)
        for word in WORDS_OF_A_SCENE:
            if word in words:
                getattr(self, "_" + word.replace("-", "_"))()

    def _run(self, *arguments, typed=""):
        command = [f"{self.root}/bin/keybackup", *arguments, "--pin-file", f"{self.root}/pin"]
        done = subprocess.run(
            command, env=self.environment(), cwd=self.home(), input=typed, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            raise SceneError(f"{' '.join(arguments)}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def _no_pin(self):
        pass

    def _wallet_files(self):
        for name, text in WALLET_FILES.items():
            path = f"{self.home()}/{name}"
            with open(path, "w", opener=lambda p, f: os.open(p, f, 0o600)) as file:
                file.write(text + "\n")

    def _backup(self):
        self._run("init", f"{self.home()}/Nextcloud/keybackup", "--label", "blue key")
        for name, kind, more in [
                ("Savings", "mnemonic", []), ("Spending", "xprv", []), ("Shop", "xpub", [])]:
            secret = {"mnemonic": WORDS, "xprv": XPRV, "xpub": XPUB}[kind]
            self._run(
                "wallet", "add", "--name", name, "--network", "bitcoin", f"--{kind}", "-", *more,
                typed=secret + "\n")

    def _spare(self):
        self.plug(["blue", "green"])
        self._run("key", "add", "--label", "green key")
        self.plug(["blue"])

    def _kit(self):
        page = f"{self.home()}/.kit.html"
        made = self._run(
            "recovery-kit", "create", "--label", "Recovery kit", "--out", page, "--json", "--reveal")
        self.code = re.search(r'"code"\s*:\s*"([^"]+)"', made).group(1)
        os.remove(page)

    def _credential(self):
        self._run("credential", "create")

    def _new_computer(self):
        self.go_to("new-computer")
