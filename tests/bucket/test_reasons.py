"""What obstore says, and what a person is told."""

from __future__ import annotations

import pytest

from acp_trace.team.bucket import reasons

_DELETE = (
    "DeleteObjects request failed for key team/traces/x.jsonl.zst: Access Denied (code: AccessDenied)\n\n"
    "Debug source:\nGeneric"
)
_ANSWERED = (
    "Generic S3 error: Error performing GET http://h/b/x in 1ms - Server returned non-2xx status code: "
)
_GCS = "Generic GCS error: GCP credential error"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (_DELETE, "denies access: check the credentials in the environment, and what they allow"),
        (
            "Generic S3 error: Missing AccessKeyId",
            "denies access: it needs AWS_ACCESS_KEY_ID in the environment, too",
        ),
        (
            "Generic MicrosoftAzure error: Invalid Access Key: Invalid padding",
            "denies access: AZURE_STORAGE_ACCOUNT_KEY in the environment is not a key",
        ),
        (
            f"{_GCS}: Unable to open service account file from /nope: No such file (os error 2)",
            "denies access: GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_SERVICE_ACCOUNT names a missing file",
        ),
        (
            f"{_GCS}: Unable to decode service account file: EOF",
            "denies access: the credentials in the environment cannot be read",
        ),
        (
            "Generic GCS error: Unable to decode service account file: missing field `type` at line 1 column 2",
            "denies access: the credentials in the environment cannot be read",
        ),
        (
            "Generic S3 error: Error performing GET http://h/b/x in 1ms - Received redirect without LOCATION, …",
            "is in another region: set AWS_REGION to the bucket's region",
        ),
        (
            f"{_ANSWERED}400 Bad Request: <Code>AuthorizationHeaderMalformed</Code><Message>expecting 'x'</Message>",
            "is in another region: set AWS_REGION to the bucket's region (expecting 'x')",
        ),
        (
            f"{_ANSWERED}400 Bad Request: <Code>ExpiredToken</Code><Message>It is over.</Message>",
            "denies access: the credentials in the environment have expired (It is over.)",
        ),
        (
            f"{_ANSWERED}503 Service Unavailable: <Code>SlowDown</Code><Message>Less.</Message>",
            "is overloaded or broken (503): run it again later (Less.)",
        ),
        (f"{_ANSWERED}500 Internal Server Error: oops", "is overloaded or broken (500): run it again later"),
        ("Generic S3 error: something new\nand more", "failed: something new"),
    ],
)
def test_reasons(said: str, told: str) -> None:
    """A few words, with what to do, and nothing of obstore's own classes."""

    class GenericError(Exception):
        """As obstore has it."""

    assert reasons.why("s3://traces/team", GenericError(said)) == told


@pytest.mark.parametrize(
    ("system", "told"),
    [
        ("File too large (os error 27)", "failed: File too large"),
        ("Stale file handle (os error 116)", "failed: Stale file handle"),
        ("Input/output error (os error 5)", "failed: Input/output error"),
        ("Too many open files (os error 24)", "failed: Too many open files"),
        ("No such file or directory (os error 2)", "does not exist"),
        ("No space left on device (os error 28)", "is full: no space left"),
        ("Is a directory (os error 21)", "failed: Is a directory"),
    ],
)
def test_what_the_system_says_of_a_directory(system: str, told: str) -> None:
    """Is told as it is: of 27, 24 and 21, none is 2."""
    error = OSError(
        f"Generic LocalFileSystem error: Unable to copy data to file: {system}\n\nDebug source:\nX"
    )
    assert reasons.why("file:///mnt/team", error) == told
