"""Queries in any script, any case, with or without accents, by words alone and with the real model."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.kit import TestVault
from engine.real_vaults import unpacked

NOTES = {
    "网络/交换机配置.md": "# 交换机配置\n\n核心交换机的VLAN划分在去年完成，端口镜像用于排错。",
    "网络/路由器.md": "# 路由器\n\n路由器连接两个网络，并转发数据包。",
    "日本語/議事録.md": "会議で新しいサーバーの予算を決めた。担当は田中さん。",
    "Русский/Переезд.md": "# Переезд\n\nМы решили переехать в новую квартиру из-за шумных соседей.",
    "Русский/Ёлка.md": "Купили ёлку на рынке у вокзала.",
    "Deutsch/Straßenbau.md": "Die Müllerstraße wird im Frühjahr saniert; die Bäume bleiben stehen.",
    "Deutsch/Größe.md": "Die Größe der Überläufe wurde von Jürgen geprüft.",
    "Français/Été.md": "L'été dernier, nous avons déménagé à Besançon près de la forêt.",
    "Ελληνικά/Σημείωση.md": "Ο Οδυσσέας γύρισε στην Ιθάκη μετά από χρόνια.",
    "한국어/회의.md": "서버 이전 회의는 금요일에 열린다.",
    "English/Backups.md": "Nightly backups of the BigTable cluster go to Reykjavík.",
    **{f"Filler/{i}.md": f"An ordinary note number {i} about gardens, bread and weather." for i in range(30)},
}

QUESTIONS = [
    ("交换机", "网络/交换机配置.md"),
    ("交换机的VLAN怎么划分", "网络/交换机配置.md"),
    ("转发数据包", "网络/路由器.md"),
    ("予算", "日本語/議事録.md"),
    ("サーバーの予算", "日本語/議事録.md"),
    ("переезд в квартиру", "Русский/Переезд.md"),
    ("о новой квартире", "Русский/Переезд.md"),  # inflected: квартиру
    ("шумные соседи", "Русский/Переезд.md"),  # inflected: шумных соседей
    ("елка", "Русский/Ёлка.md"),
    ("ЁЛКУ НА РЫНКЕ", "Русский/Ёлка.md"),
    ("Müllerstraße", "Deutsch/Straßenbau.md"),
    ("mullerstrasse saniert", "Deutsch/Straßenbau.md"),
    ("MÜLLERSTRASSE", "Deutsch/Straßenbau.md"),
    ("baume", "Deutsch/Straßenbau.md"),
    ("grosse der uberlaufe", "Deutsch/Größe.md"),
    ("jurgen", "Deutsch/Größe.md"),
    ("ete demenage foret", "Français/Été.md"),
    ("BESANCON", "Français/Été.md"),
    ("ιθακη", "Ελληνικά/Σημείωση.md"),
    ("ΟΔΥΣΣΕΑΣ", "Ελληνικά/Σημείωση.md"),
    ("회의", "한국어/회의.md"),
    ("bigtable reykjavik", "English/Backups.md"),
    ("BACKUPS OF THE BIGTABLE", "English/Backups.md"),
]


@pytest.fixture(scope="module")
def by_words(tmp_path_factory: pytest.TempPathFactory) -> TestVault:
    vault = TestVault(tmp_path_factory.mktemp("languages"))
    vault.write_all(NOTES)
    vault.index(embed=False)
    return vault


@pytest.fixture(scope="module")
def by_toy(tmp_path_factory: pytest.TempPathFactory) -> TestVault:
    vault = TestVault(tmp_path_factory.mktemp("languages"))
    vault.write_all(NOTES)
    vault.index()
    return vault


@pytest.mark.parametrize(("query", "path"), QUESTIONS)
def test_words_alone_find_the_note(by_words: TestVault, query: str, path: str) -> None:
    """Among the first three, with nothing embedded."""
    assert path in by_words.found(query, 3)


@pytest.mark.parametrize(("query", "path"), QUESTIONS)
def test_vectors_do_not_hide_it(by_toy: TestVault, query: str, path: str) -> None:
    """The same with a toy model's vectors beside the words."""
    assert path in by_toy.found(query, 3)


@pytest.mark.model
@pytest.mark.slow
def test_the_real_model_finds_them_too(tmp_path: Path) -> None:
    """MiniLM knows English: what it says of other scripts must not outweigh the words."""
    vault = TestVault(tmp_path, env={"GENESYS_EMBEDDER": "local"})
    vault.write_all(NOTES)
    with vault.memory() as memory:
        memory.index()
        wrong = [
            (query, path)
            for query, path in QUESTIONS
            if path not in [h.path for h in memory.recall(query, 3, read_only=True).hits]
        ]
    assert wrong == []


@pytest.mark.slow
def test_a_word_finds_its_notes_in_a_chinese_vault(tmp_path: Path) -> None:
    """``recall "交换机"`` on a real one: the two notes that have the word come first."""
    vault = TestVault(unpacked("garden-zh", tmp_path))
    having = {
        path.relative_to(vault.root).as_posix()
        for path in vault.root.rglob("*.md")
        if "交换机" in path.stem or "交换机" in path.read_text(encoding="utf-8", errors="replace")
    }
    assert having
    vault.index(embed=False)
    assert set(vault.found("交换机", 3)) >= set(sorted(having)[:3])
