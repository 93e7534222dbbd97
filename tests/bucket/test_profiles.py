"""AWS_PROFILE: access by a profile of `~/.aws`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from acp_trace.places.place import PlaceError
from acp_trace.team.bucket import profiles
from tests.bucket.test_places import SAMPLES, opened, pushed, states


@pytest.fixture
def profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file with the profile `team`, which the environment names, and no key there."""
    pytest.importorskip("boto3")
    file = tmp_path / "credentials"
    file.write_text("[team]\naws_access_key_id = test\naws_secret_access_key = test\nregion = us-east-1\n")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_PROFILE", "team")
    return file


def test_a_profile_gives_access(bucket: str, profile: Path) -> None:
    """With its keys and its region."""
    place = opened(bucket)
    assert states(pushed(place, SAMPLES[:1])) == {"pushed"}
    found = profiles.provider()
    assert found is not None
    assert found.config == {"region": "us-east-1"}


@pytest.mark.parametrize("file", ["", "[team]\nregion = us-east-1\n"])
def test_a_profile_that_gives_none(bucket: str, profile: Path, file: str) -> None:
    """One line that names it."""
    profile.write_text(file)
    with pytest.raises(PlaceError, match="AWS_PROFILE: the profile team gives no credentials: ") as raised:
        opened(bucket)
    assert "\n" not in str(raised.value)


def test_without_boto3(bucket: str, profile: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says how to get it, and how to do without; nobody is asked at another address meanwhile."""
    for name in ("boto3", "obstore.auth.boto3"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(PlaceError, match="pip install boto3; or give keys: ") as raised:
        opened(bucket)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "environment", [{}, {"AWS_PROFILE": ""}, {"AWS_PROFILE": "x", "AWS_ACCESS_KEY_ID": "y"}]
)
def test_when_no_profile_counts(environment: dict[str, str]) -> None:
    """None is named, or a key is in the environment: as for AWS's own tools, that one counts."""
    assert profiles.provider(environment) is None
