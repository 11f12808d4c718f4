"""The toy embedder, and the real model: offline, whole texts, the same vectors whatever is beside them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genesys import embed
from genesys.embed import FakeEmbedder, LocalEmbedder, load_embedder, model_folder, model_name, model_presence
from genesys.embed_bert import is_plain_bert
from genesys.embed_precision import choose, chosen
from genesys.errors import ModelError, ModelMissing
from genesys.settings import Settings
from support import child_env

installed = pytest.mark.skipif(
    not model_presence(Settings(Path()))[0], reason="the model package is not installed"
)


# ------------------------------------------------------------------ the toy


def test_the_toy_gives_similar_texts_similar_vectors() -> None:
    """Unit length, the same in every process, without case or accents, and closer where words are shared."""
    toy = FakeEmbedder()
    one, two, other, folded = toy.encode(
        [
            "The café opens at nine",
            "When does the café open",
            "Quarterly revenue fell",
            "THE CAFE OPENS AT NINE",
        ]
    )
    assert one @ two > one @ other
    assert np.allclose(one, folded)
    assert np.allclose(1, np.linalg.norm(one))
    assert np.allclose(one, toy.encode_query("The café opens at nine"))
    code = (
        "from genesys.embed_fake import *\n"
        "print(FakeEmbedder().encode(['The café opens at nine'])[0].tolist())"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], env=child_env(), capture_output=True, text=True, timeout=60, check=True
    )
    assert one.tolist() == json.loads(told.stdout)


@given(st.lists(st.text(max_size=50), max_size=5))
def test_the_toy_takes_any_text(texts: list[str]) -> None:
    """Empty ones and odd ones too: a unit vector each, one row a text."""
    vectors = FakeEmbedder(32).encode(texts)
    assert ((len(texts), 32), np.float32) == (vectors.shape, vectors.dtype)
    assert np.allclose(1, np.linalg.norm(vectors, axis=1))


# ------------------------------------------------------------------ which model


def test_the_settings_choose_the_embedder(tmp_path: Path) -> None:
    """And its name is known without loading it."""
    settings = Settings(tmp_path, embedder="fake")
    assert load_embedder(settings).model_id == model_name(settings) == "fake-v1"
    assert (True, "fake-v1", "") == model_presence(settings)
    assert model_name(Settings(tmp_path, embedder="openai", embed_model="m")) == "openai:m"
    present, _, fix = model_presence(Settings(tmp_path, embedder="openai"))
    assert (False, True) == (present, "GENESYS_EMBED_URL" in fix)
    with pytest.raises(ModelError, match="no endpoint"):
        load_embedder(Settings(tmp_path, embedder="openai"))


@pytest.mark.parametrize("name", ["someone/some-model", "no-such-model", "/no/such/folder"])
def test_a_model_that_is_not_on_disk_is_not_fetched(tmp_path: Path, name: str) -> None:
    """The error says how to put it there; the guard of these tests would see any connection."""
    settings = Settings(tmp_path, embed_model=name)
    with pytest.raises(ModelMissing) as caught:
        load_embedder(settings)
    assert "downloads nothing" in caught.value.hint
    present, detail, fix = model_presence(settings)
    assert (False, name in detail, bool(fix)) == (present, True, True)


def test_a_model_in_the_hubs_cache_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program may have downloaded it; short names are sentence-transformers'."""
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    model = tmp_path / "hub/models--sentence-transformers--tiny"
    (model / "snapshots/abc").mkdir(parents=True)
    (model / "refs").mkdir()
    (model / "refs/main").write_text("abc")
    with pytest.raises(ModelMissing):
        model_folder("tiny")
    (model / "snapshots/abc/config.json").write_text("{}")
    assert model / "snapshots/abc" == model_folder("tiny") == model_folder("sentence-transformers/tiny")


def test_an_empty_folder_is_no_model(tmp_path: Path) -> None:
    """Named by path, but there is nothing in it."""
    with pytest.raises(ModelMissing, match="holds no model"):
        model_folder(str(tmp_path))


def test_asking_for_the_model_loads_nothing() -> None:
    """Status and doctor are quick: no torch for a name, nor for whether the model is there."""
    code = (
        "import sys; from pathlib import Path; from genesys.settings import Settings\n"
        "from genesys.embed import model_name, model_presence\n"
        "model_presence(Settings(Path())), model_name(Settings(Path(), embedder='fake'))\n"
        "heavy = {'torch', 'numpy', 'transformers', 'sentence_transformers', 'urllib.request'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    told = subprocess.run(
        [sys.executable, "-c", code], env=child_env(), capture_output=True, text=True, timeout=60, check=True
    )
    assert "[]\n" == told.stdout


@installed
def test_other_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of the right name with one byte changed."""
    folder = tmp_path / "model"
    shutil.copytree(model_folder(""), folder)
    with open(folder / "model.safetensors", "r+b") as stream:
        stream.seek(-1, 2)
        last = stream.read(1)
        stream.seek(-1, 2)
        stream.write(bytes([last[0] ^ 1]))
    monkeypatch.setattr(embed, "model_folder", lambda name: folder)
    with pytest.raises(ModelError, match="not those of"):
        load_embedder(Settings(tmp_path))


# ------------------------------------------------------------------ precision


def trial(fast: float, error: float = 0.0):  # type: ignore[no-untyped-def]
    """A stand-in for a model whose bf16 is ``fast`` times as fast, and wrong by ``error``."""

    def run(precision: str, texts: Sequence[str]) -> np.ndarray:
        work = int(200_000 / (fast if precision == "bf16" else 1))
        sum(range(work))
        vectors = np.zeros((len(texts), 2), dtype=np.float32)
        slip = error if precision == "bf16" else 0.0
        vectors[:, 0], vectors[:, 1] = (1 - slip**2) ** 0.5, slip
        return vectors

    return run


@pytest.mark.parametrize(
    ("fast", "error", "expected"),
    [(8, 0, "bf16"), (0.5, 0, "fp32"), (8, 0.2, "fp32"), (8, float("nan"), "fp32")],
)
def test_precision_is_measured_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fast: float, error: float, expected: str
) -> None:
    """bf16 where it is faster and as good; then the choice stays, so vectors of two kinds never mix."""
    monkeypatch.setattr("genesys.embed_precision._has_bf16", lambda: True)
    assert "bf16" == chosen("auto", tmp_path, "m")
    assert expected == choose("auto", tmp_path, "m", trial(fast, error))
    assert expected == chosen("auto", tmp_path, "m")
    assert expected == choose("auto", tmp_path, "m", trial(1 / fast))
    assert "bf16" == choose("bf16", tmp_path, "m", trial(0.5))


@installed
def test_doctor_says_which_arithmetic_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And whether a person or a measurement chose it."""
    monkeypatch.setattr("genesys.embed_precision._has_bf16", lambda: True)
    auto = Settings(tmp_path, cache_dir=tmp_path)
    assert "bf16 (not measured here yet)" in model_presence(auto)[1]
    choose("auto", tmp_path, model_name(auto).removesuffix("+bf16"), trial(0.5))
    assert "fp32 (measured here)" in model_presence(auto)[1]
    forced = Settings(tmp_path, embed_precision="bf16")
    assert "bf16 (GENESYS_EMBED_PRECISION)" in model_presence(forced)[1]


def test_processors_without_bf16_are_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And a spoilt or unwritable cache costs a measurement, no more."""
    monkeypatch.setattr("genesys.embed_precision._has_bf16", lambda: False)
    assert "fp32" == chosen("auto", Path(), "m") == choose("auto", Path(), "m", trial(8))
    (tmp_path / "precision.json").write_text("[")
    assert "fp32" == choose("auto", tmp_path, "m", trial(8))
    assert "fp32" == choose("auto", tmp_path / "precision.json" / "x", "m", trial(8))


# ------------------------------------------------------------------ the real model


@pytest.fixture(scope="module")
def real() -> LocalEmbedder:
    if not model_presence(Settings(Path()))[0]:
        pytest.skip("the model package is not installed")
    return LocalEmbedder(model_folder(""), "m", batch=4, threads=1)


@pytest.mark.model
def test_meaning_is_closer_than_words(real: LocalEmbedder) -> None:
    """A paraphrase without a common word beats an unrelated text; vectors have length one."""
    vectors = real.encode(
        ["A cat sat on the mat.", "Kittens like lying on rugs.", "The budget was approved in May."]
    )
    assert ((3, 384), np.float32, 256) == (vectors.shape, vectors.dtype, real.window)
    assert np.allclose(1, np.linalg.norm(vectors, axis=1), atol=1e-5)
    assert vectors[0] @ vectors[1] > 0.3 > vectors[0] @ vectors[2]
    assert np.allclose(vectors[0], real.encode_query("A cat sat on the mat."), atol=1e-5)


@pytest.mark.model
def test_nothing_is_cut_from_a_long_text(real: LocalEmbedder) -> None:
    """A fact at the end of a text ten windows long still moves its vector towards a question about it."""
    filler = "The garden needs water, and the fence needs paint. " * 250
    plain, told = real.encode([filler, filler + "The launch code of the rocket is zebra seven. " * 40])
    question = real.encode_query("What is the launch code of the rocket?")
    assert told @ question > plain @ question + 0.05


@pytest.mark.model
def test_order_and_company_change_no_vector(real: LocalEmbedder) -> None:
    """Sorting by length is undone, and padding is without effect."""
    texts = [
        "short",
        "a little longer text about boats",
        "",
        "   ",
        "x" * 3000,
        "日本語のメモ",
        "word " * 700,
        "short",
    ]
    together = real.encode(texts)
    assert np.allclose(together, np.stack([real.encode([text])[0] for text in texts]), atol=1e-5)
    assert (0, 384) == real.encode([]).shape
    assert np.allclose(1, np.linalg.norm(together, axis=1), atol=1e-5)


@pytest.mark.model
def test_vectors_are_those_of_sentence_transformers(real: LocalEmbedder) -> None:
    """Of texts within the window, exactly what everyone else gets from this model."""
    from sentence_transformers import SentenceTransformer

    texts = [
        "Why did we choose SQLite?",
        "The supplier was late; so we moved the launch.",
        "Käse & 日本",
        "",
        "a " * 240,
    ]
    expected = SentenceTransformer(str(model_folder("")), device="cpu").encode(
        texts, normalize_embeddings=True
    )
    assert np.allclose(expected, real.encode(texts), atol=1e-5)


@installed
@pytest.mark.model
def test_other_models_go_through_sentence_transformers(tmp_path: Path) -> None:
    """Here one that takes the first token instead of the mean; a trial of bf16 must not spoil fp32."""
    from sentence_transformers import SentenceTransformer

    folder = tmp_path / "other"
    shutil.copytree(model_folder(""), folder)
    pooling = json.loads((folder / "1_Pooling/config.json").read_text())
    pooling |= {"pooling_mode_mean_tokens": False, "pooling_mode_cls_token": True}
    (folder / "1_Pooling/config.json").write_text(json.dumps(pooling))
    assert is_plain_bert(model_folder(""))
    assert not is_plain_bert(folder)
    model = LocalEmbedder(folder, "m", threads=1)
    texts = ["Why did we choose SQLite?", "The supplier was late; so we moved the launch."]
    expected = SentenceTransformer(str(folder), device="cpu").encode(texts, normalize_embeddings=True)
    assert np.allclose(expected, model.encode(texts), atol=1e-5)
    assert np.allclose(1, np.linalg.norm(model.encode(["word " * 900, ""]), axis=1), atol=1e-5)
    again = LocalEmbedder(folder, "m", threads=1)
    again._backend.set_precision("bf16", final=False)
    again._backend.set_precision("fp32", final=True)
    assert np.allclose(expected, again.encode(texts), atol=1e-5)


@installed
@pytest.mark.model
def test_the_model_loads_in_silence(tmp_path: Path) -> None:
    """Not a byte on stdout, which belongs to MCP, nor a progress bar on stderr; the hub is switched off."""
    code = (
        "import os; from pathlib import Path; from genesys.settings import Settings\n"
        "from genesys.embed import load_embedder, model_name\n"
        f"settings = Settings(Path(), cache_dir=Path({str(tmp_path)!r}))\n"
        "model = load_embedder(settings)\n"
        "assert model.encode(['word ' * 900]).shape == (1, 384)\n"
        "assert model.model_id == model_name(settings), model.model_id\n"
        "assert model.model_id.startswith('all-MiniLM-L6-v2@53aa5117')\n"
        "assert os.environ['HF_HUB_OFFLINE'] == '1'\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        env=child_env(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (0, "", "") == (told.returncode, told.stdout, told.stderr)
