"""Which files of a workspace are likely to hold secrets: a table of names. Nothing is read here."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import PurePath

#: Names that tools use for passwords, tokens and keys.
_NAMES = (
    ".env*", ".npmrc", ".yarnrc.yml", ".pypirc", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".my.cnf",
    ".htpasswd", ".dockercfg", ".vault-token", "credentials", "credentials.json", "service-account*.json",
    "secrets.json", "secrets.toml", "secrets.yaml", "secrets.yml", "terraform.tfstate*", "*.tfvars",
    "*.pem", "*.key", "*.ppk", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx",
)  # fmt: skip
#: Directories that hold only secrets.
_DIRECTORIES = frozenset({".ssh", ".aws", ".gnupg", ".kube", ".azure"})
#: Keys of SSH (`id_ed25519`); a source file has a suffix (`id_map.py`).
_SSH_KEY = re.compile(r"id_[^.]+(\.pub)?")


def is_likely_secret(name: str) -> bool:
    """Whether a path is that of a file in which tools keep secrets: `in/.env.local`."""
    *above, last = PurePath(name.lower()).parts or ("",)
    return (
        not _DIRECTORIES.isdisjoint(above)
        or any(fnmatchcase(last, pattern) for pattern in _NAMES)
        or _SSH_KEY.fullmatch(last) is not None
    )
