"""Reports as pages of several figures and tables, each one file that opens without a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.atomic_file import atomic_file

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup


_STYLE = Path(__file__).with_name("pages.css")


def write_page(path: Path, template: Path, **values: Any) -> Path:
    """Fill a Jinja template and write it; what is no `Markup` is escaped.

    values: what the template names. It finds the script that draws figures as `plotly`, and the
    style that reports share as `style`.
    """
    from jinja2 import Environment
    from plotly.offline import get_plotlyjs

    page = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        template.read_text(encoding="utf-8")
    )
    style = _STYLE.read_text(encoding="utf-8")
    text = page.render(plotly=get_plotlyjs(), style=style, **values)
    with atomic_file(path) as part:
        part.write_text(text, encoding="utf-8", errors="replace")
    return path


def inserted(figure: go.Figure | None, name: str) -> Markup:
    """A figure as a part of a page, which carries the script once; nothing for none.

    name: its own in the page. Plotly's would be random, and equal reports are equal files.
    """
    from markupsafe import Markup

    if figure is None:
        return Markup("")
    return Markup(
        figure.to_html(
            include_plotlyjs=False, full_html=False, div_id=name, config={"responsive": True}
        )
    )
