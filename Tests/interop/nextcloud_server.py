"""A file server with as much of Nextcloud's interface as its desktop client 3.7 asks for.

    nextcloud_server.py FOLDER PORT

It listens on the loopback interface and wants no password. While there is a file FOLDER.refuses,
it takes no upload.
"""

import hashlib
import json
import os
import shutil
import sys
import threading
import urllib.parse
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ROOT = sys.argv[1]
PLACES = ("/remote.php/dav/files/u", "/remote.php/webdav")
STATUS = {"installed": True, "maintenance": False, "needsDbUpgrade": False, "version": "25.0.0.18",
          "versionstring": "25.0.0", "edition": "", "productname": "Nextcloud"}
CAPABILITIES = {
    "version": {"major": 25, "minor": 0, "micro": 0, "string": "25.0.0", "edition": ""},
    "capabilities": {"core": {"pollinterval": 5, "webdav-root": "remote.php/webdav"}}}


def mark(path):
    """A text that changes whenever a file, or anything below a folder, does."""
    digest = hashlib.sha256()
    for folder, _, names in [(os.path.dirname(path), [], [os.path.basename(path)]),
                             *sorted(os.walk(path))]:
        for name in sorted(names):
            status = os.stat(os.path.join(folder, name))
            digest.update(f"{folder}/{name} {status.st_ino} {status.st_size} "
                          f"{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def number(path):
    return f"{os.stat(path).st_ino:08d}x"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, code, body=b"", kind="application/json", **headers):
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def file(self, url):
        """The base of a URL, the rest of it, and the file that it names."""
        path = urllib.parse.unquote(urllib.parse.urlparse(url).path)
        for base in PLACES:
            if path == base or path.startswith(base + "/"):
                rest = path[len(base):].strip("/")
                return base, rest, os.path.join(ROOT, rest) if rest else ROOT
        return None, "", "/nowhere"

    def do_GET(self):
        self.body()
        url = urllib.parse.urlparse(self.path).path
        data = {"/ocs/v1.php/cloud/capabilities": CAPABILITIES,
                "/ocs/v1.php/cloud/user": {"id": "u", "display-name": "u"}}.get(url)
        if url == "/status.php":
            return self.answer(200, json.dumps(STATUS).encode())
        if data:
            meta = {"status": "ok", "statuscode": 100, "message": "OK"}
            return self.answer(200, json.dumps({"ocs": {"meta": meta, "data": data}}).encode())
        path = self.file(self.path)[2]
        if not os.path.isfile(path):
            return self.answer(404)
        with open(path, "rb") as file:
            content = file.read()
        self.answer(200, content, "application/octet-stream", ETag=f'"{mark(path)}"',
                    OC_FileId=number(path))

    def no(self):
        self.body()
        self.answer(404)

    do_HEAD = do_GET
    do_POST = do_REPORT = do_SEARCH = do_PROPPATCH = no

    def do_PROPFIND(self):
        self.body()
        base, rest, path = self.file(self.path)
        if not os.path.exists(path):
            return self.answer(404)
        found = [(rest, path)]
        if self.headers.get("Depth", "0") != "0" and os.path.isdir(path):
            found += [(f"{rest}/{name}".strip("/"), os.path.join(path, name))
                      for name in sorted(os.listdir(path))]
        text = '<d:multistatus xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns">'
        for rest, path in found:
            status, is_folder = os.stat(path), os.path.isdir(path)
            size = status.st_size
            text += (
                f"<d:response><d:href>{urllib.parse.quote(f'{base}/{rest}')}</d:href>"
                "<d:propstat><d:prop>"
                f"<d:resourcetype>{'<d:collection/>' * is_folder}</d:resourcetype>"
                f"<d:getlastmodified>{formatdate(status.st_mtime, usegmt=True)}"
                f'</d:getlastmodified><d:getetag>"{mark(path)}"</d:getetag>'
                f"<d:getcontentlength>{size}</d:getcontentlength><oc:size>{size}</oc:size>"
                f"<oc:id>{number(path)}</oc:id><oc:fileid>{status.st_ino}</oc:fileid>"
                f"<oc:permissions>{'RDNVCK' if is_folder else 'RDNVW'}</oc:permissions>"
                "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>")
        self.answer(207, (text + "</d:multistatus>").encode(), "application/xml; charset=utf-8")

    def do_PUT(self):
        content, path = self.body(), self.file(self.path)[2]
        if len(content) != int(self.headers.get("Content-Length") or 0):
            return self.answer(400)
        if os.path.exists(ROOT + ".refuses"):
            return self.answer(403)
        code = 204 if os.path.exists(path) else 201
        # Beside the served folder, so that no half file is listed. The client uploads several at once.
        upload = f"{ROOT}.upload-{threading.get_ident()}"
        with open(upload, "wb") as file:
            file.write(content)
        os.replace(upload, path)
        time = self.headers.get("X-OC-Mtime")
        if time:
            os.utime(path, (int(time), int(time)))
        self.answer(code, ETag=f'"{mark(path)}"', OC_ETag=f'"{mark(path)}"',
                    OC_FileId=number(path), X_OC_MTime="accepted")

    def do_MKCOL(self):
        self.body()
        path = self.file(self.path)[2]
        if os.path.exists(path):
            return self.answer(405)
        os.mkdir(path)
        self.answer(201, OC_FileId=number(path))

    def do_DELETE(self):
        self.body()
        path = self.file(self.path)[2]
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)
        else:
            return self.answer(404)
        self.answer(204)

    def do_MOVE(self):
        self.body()
        to = self.file(self.headers["Destination"])[2]
        os.rename(self.file(self.path)[2], to)
        self.answer(201, ETag=f'"{mark(to)}"', OC_FileId=number(to))


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
