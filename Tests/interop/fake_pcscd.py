"""Something in pcscd's place that is no help, while a command runs.

fake_pcscd.py refusing|silent -- COMMAND...
"""

import os
import socket
import subprocess
import sys
import tempfile
import threading


def main():
    refuses = sys.argv[1] == "refusing"
    command = sys.argv[sys.argv.index("--") + 1 :]
    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/pcscd.comm"
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(16)
        clients = []

        def serve():
            while True:
                client, _ = listener.accept()
                if refuses:
                    # As pcscd does when polkit says no: it hears the client first.
                    client.recv(1)
                    client.close()
                else:
                    clients.append(client)

        threading.Thread(target=serve, daemon=True).start()
        environment = dict(os.environ, PCSCLITE_CSOCK_NAME=path)
        return subprocess.run(command, check=False, env=environment).returncode


sys.exit(main())
