"""An error of obstore's -> a few words that say what to do. Pure."""

from __future__ import annotations

import re

#: A reason in the answer of S3 and similar services.
_SAID = re.compile(r"<Message>([^<]{1,200})</Message>")
#: The text before every reason of obstore's.
_PREFIX = re.compile(r"^\w+: (?:Generic \w+ error: )?")
#: What the system says of a directory that is a place: `Stale file handle (os error 116)`.
_SYSTEM = re.compile(r"([A-Z][\w ,/-]*) \(os error \d+\)")
#: What a reason begins with if the credentials do not allow it.
DENIES = "denies access"
_REGION = "is in another region: set AWS_REGION to the bucket's region"
#: The names of obstore's errors, or texts in them, and what they mean. The first that fits counts.
_MEANINGS = (
    ("NoSuchBucket", "is in a bucket that does not exist: create it first"),
    ("PermissionDenied", f"{DENIES}: check the credentials in the environment, and what they allow"),
    ("Unauthenticated", f"{DENIES}: no valid credentials are in the environment"),
    ("AuthorizationHeaderMalformed", _REGION),
    ("redirect without LOCATION", _REGION),
    ("ExpiredToken", f"{DENIES}: the credentials in the environment have expired"),
    ("status code: 500", "is overloaded or broken (500): run it again later"),
    ("status code: 503", "is overloaded or broken (503): run it again later"),
    ("code: AccessDenied", f"{DENIES}: check the credentials in the environment, and what they allow"),
    ("403 Forbidden", f"{DENIES}: check the credentials in the environment, and what they allow"),
    ("401 Unauthorized", f"{DENIES}: no valid credentials are in the environment"),
    ("Missing SecretAccessKey", f"{DENIES}: it needs AWS_SECRET_ACCESS_KEY in the environment, too"),
    ("Missing AccessKeyId", f"{DENIES}: it needs AWS_ACCESS_KEY_ID in the environment, too"),
    ("Invalid Access Key", f"{DENIES}: AZURE_STORAGE_ACCOUNT_KEY in the environment is not a key"),
    (
        "Unable to open service account file",
        f"{DENIES}: GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT names a missing file",
    ),
    (
        "Unable to decode service account file",
        f"{DENIES}: the credentials in the environment cannot be read",
    ),
    ("GCP credential error", f"{DENIES}: the credentials in the environment cannot be read"),
    ("Account must be specified", "needs AZURE_STORAGE_ACCOUNT_NAME in the environment"),
    ("Read-only file system", "cannot be written: it is read-only"),
    ("No space left", "is full: no space left"),
    ("Not a directory", "is not a directory"),
    ("(os error 17)", "is not a directory"),
    ("NotFound", "does not exist"),
    ("(os error 2)", "does not exist"),
    ("error sending request", "cannot be reached: check the network and the endpoint in the environment"),
    ("HTTP error", "cannot be reached: check the network and the endpoint in the environment"),
)


#: The file that a system's error is about; obstore writes `a.zst#1` first, and then gives it its name.
_DENIED = re.compile(r"(/[^\n]*?)(?:#\d+)?(?:: Permission denied \(|\n|$)")


def why(url: str, error: Exception) -> str:
    """Why, in a few words."""
    text = f"{type(error).__name__}: {error}"
    if url.startswith("file://") and ("PermissionDenied" in text or "Permission denied" in text):
        file = _DENIED.search(text)
        return f"cannot be read or written by this user: permission denied{f' for {file[1]}' if file else ''}"
    said = _SAID.search(text)
    for sign, meaning in _MEANINGS:
        if sign in text:
            return f"{meaning} ({said[1]})" if said and sign != "NoSuchBucket" else meaning
    if url.startswith("file://") and (system := _SYSTEM.search(text)):
        return f"failed: {system[1]}"
    return f"failed: {said[1] if said else _PREFIX.sub('', text).partition(chr(10))[0][:200]}"
