"""Issuers for Tests/guards/hostile-server: one that behaves, and others with one fault each.

An issuer is http://127.0.0.1:PORT/issuer.FAULT. It gives its token for any code. The nonce is NONCE.
"""
import base64, json

NONCE = "the-nonce-of-the-test"


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def token(issuer, fault):
    claims = {"iss": issuer, "nonce": NONCE, "sub": "somebody", "aud": "client"}
    if fault == "token-nonce":
        claims["nonce"] = "another"
    if fault == "token-no-nonce":
        del claims["nonce"]
    if fault == "token-issuer":
        claims["iss"] = issuer + "/"
    if fault == "token-two-parts":
        return encoded({"alg": "none"}) + "." + encoded(claims)
    if fault == "token-large":
        claims["padding"] = "x" * 16000
    if fault == "token-not-json":
        return ".".join([encoded({}), base64.urlsafe_b64encode(b"no json").decode().rstrip("="), "c2ln"])
    return ".".join([encoded({"alg": "RS256"}), encoded(claims), "c2ln"])


def metadata(issuer, fault):
    fields = {
        "issuer": issuer,
        "authorization_endpoint": issuer + "/authorize",
        "token_endpoint": issuer + "/token",
        "code_challenge_methods_supported": ["plain", "S256"],
    }
    if fault == "other-issuer":
        fields["issuer"] = issuer + "/"
    if fault == "plain-pkce":
        fields["code_challenge_methods_supported"] = ["plain"]
    if fault == "no-pkce-list":
        del fields["code_challenge_methods_supported"]
    if fault == "no-token-endpoint":
        del fields["token_endpoint"]
    if fault == "far-endpoint":
        fields["token_endpoint"] = "http://token.example/token"
    if fault == "script-endpoint":
        fields["authorization_endpoint"] = "javascript:alert(1)"
    if fault == "query":
        fields["authorization_endpoint"] += "?tenant=7"
    if fault == "named":
        fields["authorization_response_iss_parameter_supported"] = True
    return fields


def answer(issuer, fault, path):
    """The status, further headers and the body for a path below an issuer; none for others."""
    if path == "/.well-known/openid-configuration":
        if fault == "metadata-missing":
            return "404 Not Found", [], "{}"
        if fault == "metadata-moved":
            return "302 Found", [f"Location: {issuer}/elsewhere"], ""
        if fault == "metadata-not-json":
            return "200 OK", [], "<html>"
        if fault == "metadata-large":
            return "200 OK", [], json.dumps(metadata(issuer, "") | {"padding": "x" * 65536})
        if fault == "metadata-twice":
            text = json.dumps(metadata(issuer, ""))
            return "200 OK", [], '{"issuer":"https://other.example",' + text[1:]
        return "200 OK", [], json.dumps(metadata(issuer, fault))
    if path == "/token":
        if fault == "code-refused":
            return "400 Bad Request", [], '{"error":"invalid_grant","error_description":"<b>"}'
        if fault == "odd-error":
            return "400 Bad Request", [], json.dumps({"error": "\x1b[31m"})
        if fault == "token-moved":
            return "307 Temporary Redirect", [f"Location: {issuer}/elsewhere"], ""
        if fault == "token-missing":
            return "200 OK", [], '{"access_token":"x"}'
        if fault == "answer-not-json":
            return "200 OK", [], "id_token"
        if fault == "answer-large":
            return "200 OK", [], json.dumps({"id_token": "x" * 65536})
        return "200 OK", [], json.dumps({"token_type": "Bearer", "id_token": token(issuer, fault)})
    return None
