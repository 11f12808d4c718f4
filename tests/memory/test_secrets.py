"""Credentials are refused before anything is written; prose about them is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from genesys.errors import UsageError
from genesys.parse.secrets import find_secret
from memory.helpers import Clock, make_vault, memory_of
from support import tree_bytes

# Put together here, so that no scanner of repositories takes this file for a leak.
A20, A36, A60 = "a1B2c3D4e5F6g7H8i9J0", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "aB3" * 20
SECRETS = {
    "a private key": [
        "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE",
        "-----BEGIN " + "PGP PRIVATE KEY BLOCK-----",
    ],
    "an AWS access key": ["key AKIA" + "IOSFODNN7ABCDEFG here"],
    "a GitHub token": ["ghp_" + A36, "token=github_pat_" + A60],
    "a GitLab token": ["glpat-" + A20],
    "a Slack token": ["xoxb-" + "123456789012-" + A20],
    "a Slack webhook": ["https://hooks.slack" + ".com/services/T0001/B0001/" + A20],
    "an Anthropic API key": ["ANTHROPIC_API_KEY=sk-ant-" + "api03-" + A36],
    "an OpenAI API key": ["sk-proj-" + A36, "use sk-" + A36 + "."],
    "a Google API key": ["AIza" + "SyA1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q"],
    "a Stripe key": ["sk_" + "live_" + A20 + "abcd"],
    "a Hugging Face token": ["hf_" + A36],
    "an npm token": ["npm_" + A36],
    "a signed token": ["eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + A20],
    "an address with a password in it": ["postgres://app:s3cr3t@db.local/x"],
    "a secret (password)": [
        "password: hunter2!",
        "The Wi-Fi password is Tr0ub4dor&3",
        '"password": "pa55word"',
    ],
    "a secret (API key)": ["API key: 9f8e7d6c5b4a"],
    "a secret (passwort)": ["passwort: geh3im!"],
}
PROSE = [
    "The password is stored in Bitwarden.",
    "password: required, at least 12 characters",
    "Password: see the vault entry",
    "password: $DB_PASSWORD",
    "password: <your password>",
    "password: ********",
    "password: ${PASS1}",
    "password: changeme1",
    "API key: ask Ines",
    "api_key: os.environ",
    "The api key is rotated every 90 days.",
    "We use sk-learn and sklearn-1.5 for this.",
    "task-force-2024-report-with-a-very-long-name-1234567890",
    "AKIA is the prefix of AWS keys.",
    "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
    "blake2b 53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "https://example.org:8080/path@v2",
    "postgres://user:password_placeholder@host/db",
    "postgres://localhost:5432/db",
    "-----BEGIN PUBLIC KEY-----",
    "[[password: a history of secrets]]",
    "ssh git@github.com:user/repo.git",
    "The secret key to good bread is time: 18 hours.",
    "passphrase is long",
    "auth token: expires after 15min",
    "ghp_short",
    "uuid 123e4567-e89b-12d3-a456-426614174000",
]


@pytest.mark.parametrize(("what", "text"), [(w, t) for w, texts in SECRETS.items() for t in texts])
def test_a_credential_is_known_by_its_shape(what: str, text: str) -> None:
    """Token shapes as their issuers document them, and passwords said outright."""
    assert what.casefold() == find_secret(f"Remember this: {text}").casefold()


@pytest.mark.parametrize("text", PROSE)
def test_talk_about_credentials_is_no_credential(text: str) -> None:
    """Precision comes first: an agent must be able to remember where a secret is kept."""
    assert "" == find_secret(text)


def test_a_secret_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    """In the content or the title; the message names the kind and not the secret."""
    vault = make_vault(tmp_path / "vault", {"A.md": "a\n"})
    token = "ghp_" + A36
    with memory_of(vault, Clock()) as memory:
        memory.index()
        before = tree_bytes(vault)
        for arguments in ({"content": f"token {token}"}, {"content": "x", "title": token}):
            with pytest.raises(UsageError) as refused:
                memory.remember(**arguments)
            assert "GitHub token" in refused.value.message
            assert token not in refused.value.message + refused.value.hint
    assert before == tree_bytes(vault)
