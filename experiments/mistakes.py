"""One sentence for a user's mistake, a traceback only for a fault of ours."""

from __future__ import annotations

import errno
import os
import sys
import sysconfig
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dis import opname
from pathlib import Path

from hydra.errors import HydraException, InstantiationException, MissingConfigException
from omegaconf.errors import MissingMandatoryValue, OmegaConfBaseException

from experiments.configuration_mistakes import configuration, unknown_choice, unset
from experiments.extras import missing_extra

USER_MISTAKE = 2
FAULT = 1
INTERRUPTED = 130
_INSTALLED = {Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib", "platlib")}


@contextmanager
def explained() -> Iterator[None]:
    """Ends the process with `explain`'s code where the block raises; a warning is one line."""
    warnings.formatwarning = _one_line
    try:
        yield
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except Exception as error:
        sys.exit(explain(error, sys.argv[1:]))


def _one_line(message: Warning | str, *place: object, **more: object) -> str:
    """A warning without the line of code that gave it."""
    return f"warning: {' '.join(str(message).split())}\n"


def explain(error: Exception, arguments: Sequence[str]) -> int:
    """Print what went wrong to the error stream; returns the exit code.

    arguments: the words of the command line. A `ValueError` that a line of ours raises, a
    configuration error, a missing extra or a file that cannot be reached is a user's mistake (2);
    all else is a fault (1), a `ValueError` of numpy's among it.
    `HYDRA_TRACEBACK=1` in the environment shows the traceback of a mistake too.
    """
    cause = _cause(error)
    sentence = _sentence(cause, arguments, built=cause is not error)
    if sentence is None or os.environ.get("HYDRA_TRACEBACK"):
        traceback.print_exception(error, file=sys.stderr)
        return FAULT if sentence is None else USER_MISTAKE
    print(f"error: {sentence}", file=sys.stderr)
    return USER_MISTAKE


def reason(error: Exception) -> str:
    """One line that says why: the sentence of a mistake, else the kind of fault and its words."""
    cause = _cause(error)
    said = _sentence(cause, (), built=cause is not error) or f"{type(cause).__name__}: {cause}"
    return " ".join(said.split())


def _cause(error: BaseException) -> BaseException:
    """What lies under Hydra's own wrapping of an error in a constructor."""
    while isinstance(error, InstantiationException) and error.__cause__ is not None:
        error = error.__cause__
    return error


def _sentence(error: BaseException, arguments: Sequence[str], *, built: bool) -> str | None:
    """built: the error comes from a constructor, where libraries refuse an option as we do."""
    if isinstance(error, MissingConfigException):
        return unknown_choice(error)
    if isinstance(error, MissingMandatoryValue):
        return unset(error)
    if isinstance(error, HydraException | OmegaConfBaseException):
        return configuration(error, arguments)
    if isinstance(error, ImportError):
        return missing_extra(error.name or "")
    if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
        return f"An option does not exist here: {error}."
    if isinstance(error, ValueError):
        return _flat(error) if built or is_deliberate(error) else None
    if isinstance(error, OSError):
        return _unreachable(error)
    return None


def is_deliberate(error: ValueError) -> bool:
    """Whether a `raise` outside the installed packages made it, or pydantic checking a value.

    An error that came from another process has no trace, and counts as deliberate.
    """
    trace = error.__traceback__
    if trace is None or hasattr(error, "errors"):
        return True
    while trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code
    raises = opname[code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"
    return raises and not any(Path(code.co_filename).is_relative_to(one) for one in _INSTALLED)


def _flat(error: ValueError) -> str:
    """One sentence, also of pydantic's report of several lines and an address."""
    if not callable(getattr(error, "errors", None)):
        return str(error)
    found = error.errors()  # type: ignore[attr-defined]
    said = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in found]
    return f"{'; '.join(said)}."


def _unreachable(error: OSError) -> str:
    place = f" ({error.filename})" if error.filename else ""
    if error.errno == errno.ENOSPC:
        return f"The disk is full{place}: free some space, python -m experiments.store shows how."
    return f"{error.strerror or error}{place}."
