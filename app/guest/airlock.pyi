"""What Airlock gives to a script.

The names are builtins. The same objects can be imported:
from airlock import settings, llm, set_result, inputs, files, save_file
"""

from typing import IO, Any, Iterable, Iterator, List, Optional, TypeVar, Union, overload

_T = TypeVar("_T")

class MissingKey(KeyError):
    """The profile has no such key. The message names the keys that exist."""

class ResultError(ValueError):
    """The data given to set_result has no JSON form or is too large.

    The message names the place: result.items[3].when
    """

class _Settings:
    @overload
    def get(self, key: str) -> str:
        """Returns the value of a key of the profile. Raises MissingKey.

        For a sealed key this is a placeholder. Use it as if it were the value, in headers of HTTP
        requests to the key's hosts: Airlock replaces it with the value on the way out. Don't
        encode, cut, hash or compare it. Clients that sign with the value need an injected key:
        that is the value itself, masked in what leaves the sandbox. A plain key is not secret and
        not masked.
        """
    @overload
    def get(self, key: str, default: _T) -> Union[str, _T]:
        """Returns the value of a key of the profile, or default."""
    def __getitem__(self, key: str) -> str:
        """The same as get(key)."""
    def __contains__(self, key: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def keys(self) -> List[str]:
        """Returns the names of the profile's keys, sorted."""

class _LLM:
    class Error(Exception):
        """There will be no answer; the message says why."""
    def complete(self, prompt: str, model: str = "default") -> str:
        """Asks the agent that started the script, and waits for its answer.

        The prompt has at most 1 MiB of UTF-8. While it waits, the execution's clock and every
        process of the script stand still. Several threads may ask at once. Works in the script's
        first process only, not in a forked one.
        """

class _Files:
    """The files that came with the request, read-only.

    The environment variable AIRLOCK_FILES names their directory.
    """
    def path(self, name: str) -> str:
        """Returns the path of a file. Raises FileNotFoundError, which names those that exist."""
    def open(self, name: str, mode: str = "r", **options: Any) -> IO[Any]:
        """The same as open(path(name), mode, **options)."""
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]:
        """Yields the names of the files."""
    def __len__(self) -> int: ...

settings: _Settings
llm: _LLM
files: _Files

inputs: Any
"""The JSON that came with the request; None if there was none."""

def save_file(name: str, data: Union[str, bytes, bytearray, memoryview]) -> str:
    """Writes a file for readers of the execution, and returns its path. Text becomes UTF-8.

    The file lies in the directory that the environment variable AIRLOCK_OUT names; a library may
    write there as well. What the directory holds when the script ends, also by an error, a timeout
    or a cancel, becomes the execution's artifacts: regular files, not directories and links, at
    most 100 of 64 MiB together. Secrets in text are masked; another file that holds one is
    withheld.
    """

def set_result(data: Any) -> None:
    """Sets the result of the execution. The last call counts, also from a thread or exit handler.

    data is converted when this is called; changing it later has no effect. Raises ResultError for
    what has no form in this table.

        None, bool, int, float, str    as they are; float must be finite,
                                       int at most 14,000 bits, str valid Unicode
        Decimal, Fraction, UUID, Path  text
        date, datetime, time           ISO 8601
        timedelta                      ISO 8601 duration in days and less: P1DT2H0.5S
        Enum                           its value
        dict, other mappings           object; a key is the text of its JSON form
                                       (1 is "1", None is "null", a date is ISO 8601)
        dataclass                      object of its fields
        list, tuple, deque, range      array
        set, frozenset                 array: numbers first, by value; the rest by JSON text
        numpy scalars and arrays       numbers, texts, nested arrays;
                                       datetime64 and timedelta64 as above
        pandas DataFrame               {"columns": [...], "index": [...], "data": [[...]]},
                                       and "index_name" if the index has one
        pandas Series                  {"name": ..., "index": [...], "data": [...]}
        pandas Index, Categorical      array
        pandas Timestamp, Timedelta, Period   as their standard counterparts, to the nanosecond

    Errors: NaN, Infinity, NaT, NA and other missing values, bytes, iterators, cycles, more than 200
    levels, two keys with the same text, other objects.

    Threads and exit handlers have 5 seconds after the script's last line. `random` is not seeded;
    hash order, time zone (UTC), locale and numeric thread counts are the same in every execution.
    """
