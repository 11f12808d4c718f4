"""Service files for those who want the daemon with their login: a systemd user unit, a launchd agent."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.sax.saxutils import escape

__all__ = ["launchd", "systemd"]

LABEL = "genesys"


def systemd(vault: Path, python: str = sys.executable) -> str:
    """A user unit; where it goes and how it is switched on stands at its top."""
    command = " ".join(_quoted(part) for part in _command(vault, python))
    return f"""\
# Save as ~/.config/systemd/user/{LABEL}.service, then:
#   systemctl --user daemon-reload && systemctl --user enable --now {LABEL}
[Unit]
Description=Genesys, memory of {_percent(str(vault))}

[Service]
ExecStart={command}
Restart=on-failure
RestartSec=5
Nice=5

[Install]
WantedBy=default.target
"""


def launchd(vault: Path, python: str = sys.executable) -> str:
    """A launchd agent for ``~/Library/LaunchAgents``."""
    arguments = "\n".join(f"    <string>{escape(part)}</string>" for part in _command(vault, python))
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<!-- Save as ~/Library/LaunchAgents/{LABEL}.plist, then: launchctl load -w that file -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{LABEL}</string>
  <key>ProgramArguments</key>
  <array>
{arguments}
  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ProcessType</key>
  <string>Background</string>
</dict>
</plist>
"""


def _command(vault: Path, python: str) -> list[str]:
    return [python, "-P", "-m", "genesys", "daemon", "start", "--foreground", "--vault", str(vault)]


def _quoted(text: str) -> str:
    """One argument for ExecStart: systemd splits at spaces, and reads % and $ as its own."""
    safe = _percent(text).replace("$", "$$").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{safe}"' if any(c.isspace() or c in "\"'\\;" for c in text) else safe


def _percent(text: str) -> str:
    return text.replace("%", "%%")
