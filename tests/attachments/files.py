"""PDF and Word files made by hand, good and bad."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence

__all__ = ["docx", "encrypted_pdf", "pdf", "slow_pdf", "zip_bomb"]


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text for each line of each page."""
    return _assembled([_content(page) for page in pages])


def slow_pdf() -> bytes:
    """A page whose content takes a parser minutes: millions of operators."""
    return _assembled([b"BT /F1 12 Tf " + b"(x) Tj " * 4_000_000 + b"ET"])


def _content(page: str) -> bytes:
    lines = [line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)") for line in page.split("\n")]
    shown = " T* ".join(f"({line}) Tj" for line in lines)
    return f"BT /F1 12 Tf 14 TL 50 750 Td {shown} ET".encode("latin-1")


def _assembled(contents: Sequence[bytes]) -> bytes:
    font = 3 + 2 * len(contents)
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(contents)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode())
    for number, content in enumerate(contents):
        resources = f"<< /Font << /F1 {font} 0 R >> >>"
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources {resources} "
        objects.append(f"{page}/Contents {4 + 2 * number} 0 R >>".encode())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    objects.append(b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start))
    return out.getvalue()


def encrypted_pdf(text: str) -> bytes:
    """A PDF that nobody opens without its password."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(text))))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(*parts: tuple[int, str]) -> bytes:
    """A Word file of (heading level or 0, text)."""
    from docx import Document

    document = Document()
    for level, text in parts:
        if level:
            document.add_heading(text, level)
        else:
            document.add_paragraph(text)
    table = document.add_table(rows=1, cols=2)
    table.rows[0].cells[0].text, table.rows[0].cells[1].text = "left cell", "right cell"
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def zip_bomb() -> bytes:
    """A Word file of some hundred kilobytes that unpacks to 300 MB."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (300 << 20))
    return out.getvalue()
