"""BERT's forward pass, written out for models like all-MiniLM-L6-v2.

sentence-transformers takes 5 CPU seconds and 510 MB to load such a model, most of it for importing what an
encoder never uses; this takes one and 270 MB, and embeds in two thirds of the time. The vectors are the same,
which a test holds. torch is handed in: only :mod:`genesys.embed` imports it.

Sources: Devlin et al. 2019 (BERT); Reimers & Gurevych 2019 (mean pooling).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["Bert", "is_plain_bert"]

_HEADS_OF_LAYER = "encoder.layer.{}."
_REST = (
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)


def is_plain_bert(folder: Path) -> bool:
    """True where a sentence-transformers folder is BERT, then the mean of its tokens, and nothing else."""
    try:
        config = _read(folder / "config.json")
        parts = [str(part["type"]).rpartition(".")[2] for part in _read(folder / "modules.json")]
        pooling = _read(folder / "1_Pooling" / "config.json")
        window = _read(folder / "sentence_bert_config.json")
        extra = folder / "config_sentence_transformers.json"
        prompts = _read(extra).get("prompts") if extra.is_file() else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    modes = [name for name, on in pooling.items() if name.startswith("pooling_mode_") and on is True]
    return (
        (config.get("model_type"), config.get("hidden_act")) == ("bert", "gelu")
        and config.get("position_embedding_type", "absolute") == "absolute"
        and parts in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
        and modes == ["pooling_mode_mean_tokens"]
        and isinstance(window.get("max_seq_length"), int)
        and not window.get("do_lower_case")
        and not any((prompts or {}).values())
        and all((folder / name).is_file() for name in ("model.safetensors", "tokenizer.json"))
    )


def _read(file: Path) -> Any:
    return json.loads(file.read_bytes())


class Bert:
    """The weights of a model, in one precision. ``weights`` are named as transformers names them."""

    def __init__(self, torch: Any, folder: Path, weights: dict[str, Any], dtype: Any) -> None:
        config = _read(folder / "config.json")
        self._torch = torch
        self._heads = int(config["num_attention_heads"])
        self._eps = float(config.get("layer_norm_eps", 1e-12))
        self.dim = int(config["hidden_size"])
        # Some save the encoder as a part of a larger model.
        named = {name.removeprefix("bert."): tensor for name, tensor in weights.items()}
        kinds = named["embeddings.token_type_embeddings.weight"]
        self._words = named["embeddings.word_embeddings.weight"].to(dtype)
        # We only ever have one segment, so its vector can be added to the positions' beforehand.
        self._places = (named["embeddings.position_embeddings.weight"] + kinds[0]).to(dtype)
        self._norm = tuple(t.to(dtype) for t in _pair(named, "embeddings.LayerNorm"))
        count = int(config["num_hidden_layers"])
        self._layers = [_layer(torch, named, _HEADS_OF_LAYER.format(i), dtype) for i in range(count)]

    def vectors(self, batch: Sequence[Sequence[int]]) -> Any:
        """``float32[n, dim]`` of length one for token ids, special tokens included."""
        torch = self._torch
        functional = torch.nn.functional
        size, longest = len(batch), max(map(len, batch))
        ids = torch.zeros(size, longest, dtype=torch.long)
        seen = torch.zeros(size, longest, dtype=torch.bool)
        for row, tokens in enumerate(batch):
            ids[row, : len(tokens)] = torch.tensor(tokens)
            seen[row, : len(tokens)] = True
        state = functional.layer_norm(
            self._words[ids] + self._places[:longest], (self.dim,), *self._norm, self._eps
        )
        mask = None if bool(seen.all()) else seen[:, None, None, :]
        for layer in self._layers:
            state = self._through(state, mask, layer)
        share = seen[..., None].float()
        means = (state.float() * share).sum(1) / share.sum(1).clamp(min=1)
        return functional.normalize(means, dim=1)

    def _through(self, state: Any, mask: Any, layer: Sequence[tuple[Any, Any]]) -> Any:
        """One layer: attention, then the feed-forward part, each added to its input and normalised."""
        functional = self._torch.nn.functional
        together, joined, first_norm, widened, narrowed, second_norm = layer
        size, length, _ = state.shape
        parts = functional.linear(state, *together).view(size, length, 3, self._heads, -1)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        heads = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        attended = functional.linear(heads.transpose(1, 2).reshape(size, length, -1), *joined)
        state = functional.layer_norm(state + attended, (self.dim,), *first_norm, self._eps)
        worked = functional.linear(functional.gelu(functional.linear(state, *widened)), *narrowed)
        return functional.layer_norm(state + worked, (self.dim,), *second_norm, self._eps)


def _pair(named: dict[str, Any], prefix: str) -> tuple[Any, Any]:
    return named[f"{prefix}.weight"], named[f"{prefix}.bias"]


def _layer(torch: Any, named: dict[str, Any], prefix: str, dtype: Any) -> list[tuple[Any, Any]]:
    """The layer's weights and biases, with query, key and value as one product instead of three."""
    three = [_pair(named, f"{prefix}attention.self.{part}") for part in ("query", "key", "value")]
    together = (torch.cat([weight for weight, _ in three]), torch.cat([bias for _, bias in three]))
    pairs = [together, *(_pair(named, prefix + part) for part in _REST)]
    return [(weight.to(dtype), bias.to(dtype)) for weight, bias in pairs]
