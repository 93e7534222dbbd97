"""AWS_PROFILE: access by a profile of `~/.aws`, which obstore does not read. It needs boto3."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from obstore.auth.boto3 import Boto3CredentialProvider

_PROFILE = "AWS_PROFILE"
#: As in every AWS tool, a key in the environment takes precedence over a profile.
_KEY = "AWS_ACCESS_KEY_ID"


class NoProfile(Exception):
    """The profile gives no access: one line, with what to do."""


def provider(environment: Mapping[str, str] = os.environ) -> Boto3CredentialProvider | None:
    """What fetches the credentials of the profile; None if the environment names none, or has a key itself.

    Raises NoProfile.
    """
    name = environment.get(_PROFILE)
    if not name or environment.get(_KEY):
        return None
    try:
        from obstore.auth.boto3 import Boto3CredentialProvider
    except ImportError:
        raise NoProfile(
            f"{_PROFILE} needs one more package: pip install boto3; or give keys: "
            'eval "$(aws configure export-credentials --format env)"'
        ) from None
    try:
        return Boto3CredentialProvider()
    except Exception as error:  # botocore has its own errors, for files that cannot be read as well
        why = "it has none" if isinstance(error, ValueError) else str(error)  # obstore's, of no credentials
        raise NoProfile(f"{_PROFILE}: the profile {name} gives no credentials: {why}") from error
