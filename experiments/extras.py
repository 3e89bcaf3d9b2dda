"""Packages that are an option: which extra brings them, and how it is installed."""

from __future__ import annotations

_EXTRAS = {
    "ranx": "ranx",
    "ragas": "ragas",
    "optuna": "sweep",
    "hydra_plugins": "sweep",
    "xllamacpp": "local",
    "llama_index.embeddings.huggingface": "torch",
    "llama_index.llms": "api",
    "llama_index.embeddings": "api",
    "sentence_transformers": "torch",
    "transformers": "torch",
    "torch": "torch",
}


def missing_extra(module: str) -> str | None:
    """The sentence that says how to install a module; None where no extra brings it."""
    for start, extra in _EXTRAS.items():
        if module == start or module.startswith(f"{start}."):
            return install(module, extra)
    return None


def install(package: str, extra: str) -> str:
    """The sentence about a package that this extra brings."""
    return (
        f"This needs the package {package}, which is an option: "
        f"install it with .venv/bin/pip install -c constraints.txt -e '.[{extra}]'."
    )
