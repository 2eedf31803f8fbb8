"""What leaves the house: no trace of a machine, nothing unlocked, nothing written about that is not there."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.house.source import ROOT, name, published, python, text

# Put together here so that this file does not find itself.
REGISTRIES = [
    "pypi" + ".org",
    "python" + "hosted",
    "registry." + "npm",
    "npmjs" + ".org",
    "files" + ".python",
]
HOMES = re.compile(r"/(?:" + "|".join(["home", "Users", "root", "work", "mnt"]) + r")/[a-z]")


def test_no_published_file_names_a_registry() -> None:
    assert [name(p) for p in published() if any(host in text(p) for host in REGISTRIES)] == []


def test_no_published_file_holds_a_path_of_somebodys_machine() -> None:
    assert [name(p) for p in published() if HOMES.search(text(p))] == []


def test_lock_files_hold_versions_and_hashes_and_no_address() -> None:
    locks = [ROOT / "requirements.lock", ROOT / "requirements-dev.lock", *(ROOT / "tools").glob("*.txt")]
    for lock in locks:
        assert "://" not in text(lock), name(lock)
        packages = re.findall(
            r"^\S+==\S+(?:.*?)\\\n((?:    --hash=sha256:[0-9a-f]{64}.*\n)+)", text(lock), re.M
        )
        assert len(packages) == len(re.findall(r"^\S", text(lock), re.M)), (
            f"{name(lock)}: a line without hash"
        )
    assert not (ROOT / "uv.lock").exists()


def pins(path: Path) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", text(path), re.M))


def test_what_pyproject_asks_for_is_locked_and_both_locks_agree() -> None:
    project = tomllib.loads(text(ROOT / "pyproject.toml"))["project"]
    run, dev = pins(ROOT / "requirements.lock"), pins(ROOT / "requirements-dev.lock")

    def wanted(requirements: list[str]) -> set[str]:
        return {re.split(r"[\[<>=!~; ]", r, maxsplit=1)[0].lower().replace("_", "-") for r in requirements}

    assert wanted(project["dependencies"]) - set(run) == set()
    assert wanted(project["optional-dependencies"]["dev"]) - set(dev) == set()
    assert {package: version for package, version in run.items() if dev.get(package) != version} == {}


def test_the_browser_packages_are_locked_without_address_and_run_no_scripts() -> None:
    lock = json.loads(text(ROOT / "frontend" / "package-lock.json"))
    packages = {path: package for path, package in lock["packages"].items() if path}
    assert [path for path, package in packages.items() if "resolved" in package] == []
    assert [path for path, package in packages.items() if "integrity" not in package] == []
    settings = text(ROOT / "frontend" / ".npmrc").split()
    assert {"ignore-scripts=true", "omit-lockfile-registry-resolved=true"} <= set(settings)


def test_every_setting_has_a_heading_and_every_heading_a_setting() -> None:
    setting = re.compile(r"TRAMITA_[A-Z][A-Z_]*[A-Z]")
    code = [*python("app", "tools"), ROOT / "Makefile"]
    used = {found for path in code for found in setting.findall(text(path))}
    described = set(re.findall(r"^## `(TRAMITA_[A-Z_]+)`$", text(ROOT / "docs" / "settings.md"), re.M))
    assert used == described


def test_every_link_of_the_documentation_leads_to_a_file() -> None:
    pages = [path for path in published() if path.suffix == ".md"]
    broken = [
        f"{name(page)}: {target}"
        for page in pages
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text(page))
        if "://" not in target and not target.startswith("mailto:") and not (page.parent / target).exists()
    ]
    assert broken == []


def test_the_readme_maps_every_room() -> None:
    rooms = {path.relative_to(ROOT).parts[1].removesuffix(".py") for path in python()} - {"__init__"}
    readme = text(ROOT / "README.md")
    assert [room for room in sorted(rooms) if not re.search(rf"(?<![\w/]){room}(/|\.py)\s", readme)] == []


@pytest.mark.parametrize("folder", ["docs/decisions"])
def test_decisions_are_numbered_without_gap_and_short(folder: str) -> None:
    pages = sorted((ROOT / folder).glob("[0-9]*.md"))
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    assert [page.name for page in pages if len(text(page).splitlines()) > 45] == []
