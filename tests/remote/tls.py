"""tls.py ONEPASS: volumes of a server of https on this machine, whose certificate an authority of this test has signed.

The environment of the program names the authority (CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR) or another one. A run
with the right one makes the bytes of the volume on disk; a run with the wrong one ends with a sentence and leaves nothing.
"""
import functools
import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading

ONEPASS = sys.argv[1]
VARIABLES = ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")


def openssl(folder, *arguments):
    subprocess.run(
        ["openssl", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def make_authority(folder, name):
    """NAME.pem, and its folder NAME with the name by which libraries of TLS look for it."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"]
    openssl(folder, "req", "-x509", *key, "-out", f"{name}.pem", "-subj", f"/CN=onepass test {name}", "-days", "2")
    hashed = ["openssl", "x509", "-in", f"{name}.pem", "-noout", "-hash"]
    number = subprocess.run(hashed, cwd=folder, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    (folder / name).mkdir()
    (folder / name / f"{number}.0").write_bytes((folder / f"{name}.pem").read_bytes())


def make_certificate(folder, name, authority, host):
    """NAME.pem with its key, for HOST."""
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", f"{name}.key"]
    openssl(folder, "req", *key, "-out", f"{name}.csr", "-subj", f"/CN={host}")
    (folder / f"{name}.ext").write_text(f"subjectAltName=IP:{host}\n")
    signing = ["-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial", "-days", "2"]
    openssl(folder, "x509", "-req", "-in", f"{name}.csr", *signing, "-extfile", f"{name}.ext", "-out", f"{name}.pem")


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    """Sends the files of a folder over TLS."""

    daemon_threads = True

    def __init__(self, folder, certificates, name):
        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass  # a client that does not trust the certificate


def volume(source, output, variables=None):
    """The result of `onepass volume`."""
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    for name in VARIABLES:
        environment.pop(name, None)
    environment.update(variables or {})
    command = [ONEPASS, "volume", str(source), "-o", str(output), "--chunk", "16", "--quiet"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def expect(condition, text):
    if not condition:
        sys.exit(text)


def main():
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        served, out = root / "served", root / "out"
        served.mkdir()
        out.mkdir()
        for authority in "right", "wrong":
            make_authority(root, authority)
        make_certificate(root, "server", "right", "127.0.0.1")
        make_certificate(root, "other_host", "right", "127.0.0.2")
        (root / "in.raw").write_bytes(bytes(i * 31 % 251 for i in range(20 * 30 * 40)))
        raw = [ONEPASS, "volume", str(root / "in.raw"), "--raw", "40x30x20:uint8", "-o", str(served / "in.zarr")]
        subprocess.run([*raw, "--zarr", "2", "--chunk", "16", "--quiet"], check=True)
        local = volume(served / "in.zarr", root / "local.zarr")
        expect(local.returncode == 0, local.stderr)
        right, wrong = str(root / "right.pem"), str(root / "wrong.pem")
        server = Server(served, root, "server")
        url = f"https://127.0.0.1:{server.server_address[1]}/in.zarr"

        for variables in (
            {"CURL_CA_BUNDLE": right},
            {"SSL_CERT_FILE": right},
            {"SSL_CERT_DIR": str(root / "right")},
            {"CURL_CA_BUNDLE": right, "SSL_CERT_FILE": wrong},
            {"CURL_CA_BUNDLE": "", "SSL_CERT_FILE": right, "SSL_CERT_DIR": str(root / "wrong")},
        ):
            made = volume(url, out / "a.zarr", variables)
            expect(made.returncode == 0, f"{variables}: {made.stderr}")
            expect(tree(out / "a.zarr") == tree(root / "local.zarr"), f"{variables}: other bytes than from disk")
            subprocess.run(["rm", "-r", str(out / "a.zarr")], check=True)

        untrusted = "the server's certificate is not trusted: "
        other = Server(served, root, "other_host")
        other_url = f"https://127.0.0.1:{other.server_address[1]}/in.zarr"
        missing = str(root / "none.pem")
        for address, variables, words in (
            (url, {}, [untrusted, "those of the system; CURL_CA_BUNDLE, SSL_CERT_FILE or SSL_CERT_DIR name others"]),
            (url, {"CURL_CA_BUNDLE": wrong}, [untrusted, "CURL_CA_BUNDLE=" + wrong]),
            (url, {"SSL_CERT_FILE": wrong}, [untrusted, "SSL_CERT_FILE=" + wrong]),
            (url, {"SSL_CERT_DIR": str(root / "wrong")}, [untrusted, "SSL_CERT_DIR=" + str(root / "wrong")]),
            (url, {"CURL_CA_BUNDLE": wrong, "SSL_CERT_FILE": right}, [untrusted, "CURL_CA_BUNDLE=" + wrong]),
            (url, {"CURL_CA_BUNDLE": missing}, ["certificates of authorities cannot be read", "=" + missing]),
            (other_url, {"CURL_CA_BUNDLE": right}, [untrusted]),
        ):
            refused = volume(address, out / "a.zarr", variables)
            expect(refused.returncode == 1, f"{variables}: status {refused.returncode}, {refused.stderr}")
            for word in (address, *words):
                expect(word in refused.stderr, f"{variables}: '{refused.stderr}' lacks '{word}'")
            expect(refused.stderr.count("\n") == 1, f"{variables}: not one line: {refused.stderr}")
            expect(not list(out.iterdir()), f"{variables}: left {list(out.iterdir())}")
    print("certificates: 5 accepted, 7 refused")


main()
