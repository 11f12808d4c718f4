"""Where the bar of ``user-prompt`` stands: questions that clear it, and prompts of a session that do.

    python -m benchmarks.hooks.bar [--vault DIR] [--questions FILE] [--prompts FILE] [--embedder fake]

The default is the fixture vault with its questions (each names the note that answers it), and the prompts of
``benchmarks/hooks/prompts.txt``, which ask nothing of any notes. Figures for the model and for words alone,
as long as the model is not loaded. Of a vault of your own the index is made in a copy.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from pathlib import Path

from benchmarks.daemon.harness import ROOT, report
from genesys.engine.evidence import weigh
from genesys.engine.session import Genesys
from genesys.parse.chatter import topic_of
from genesys.settings import load_settings


def best(memory: Genesys, prompt: str) -> tuple[float, list[str]]:
    """The highest worth among the hits, and the paths that clear the bar."""
    topic = topic_of(prompt)
    if not topic:
        return 0.0, []
    found = weigh(memory, topic, memory.recall(topic, 5, read_only=True, with_vectors=False).hits)
    bar = memory.settings.hooks.hook_bar
    return max((w.worth for w in found), default=0.0), [w.hit.path for w in found if w.worth >= bar]


def figures(
    memory: Genesys, questions: list[dict[str, str]], prompts: list[str], way: str
) -> dict[str, object]:
    asked = [(question["expect"], best(memory, question["query"])) for question in questions]
    talk = {prompt: best(memory, prompt) for prompt in prompts}
    loud = {prompt: round(worth, 2) for prompt, (worth, paths) in talk.items() if paths}
    return {
        f"{way}: questions given their note": f"{sum(e in paths for e, (_, paths) in asked)} of {len(asked)}",
        f"{way}: lowest worth of a question": round(min((worth for _, (worth, _) in asked), default=0.0), 2),
        f"{way}: prompts given anything": f"{len(loud)} of {len(prompts)} {loud or ''}".strip(),
        f"{way}: highest worth of a prompt": round(max(worth for worth, _ in talk.values()), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--vault", type=Path, default=ROOT / "fixtures" / "vault", help="copied, then used")
    parser.add_argument("--questions", type=Path, default=ROOT / "fixtures" / "questions.jsonl")
    parser.add_argument("--prompts", type=Path, default=Path(__file__).with_name("prompts.txt"))
    parser.add_argument("--embedder", default="local")
    given = parser.parse_args()
    questions = [json.loads(line) for line in given.questions.read_text("utf-8").splitlines() if line]
    prompts = [line for line in given.prompts.read_text("utf-8").splitlines() if line]
    with tempfile.TemporaryDirectory() as folder:
        vault = Path(shutil.copytree(given.vault, Path(folder) / "vault", symlinks=True))
        env = {k: v for k, v in os.environ.items() if not k.startswith("GENESYS_")}
        settings = load_settings(vault, env | {"GENESYS_EMBEDDER": given.embedder})
        with Genesys.open(settings) as memory:
            memory.index()
        told: dict[str, object] = {"bar": settings.hooks.hook_bar}
        with Genesys.open(settings) as memory:
            told |= figures(memory, questions, prompts, "words alone")
            memory.warm()
            told |= figures(memory, questions, prompts, "with the model")
    report("hooks.bar", told)


if __name__ == "__main__":
    main()
