"""Files of a run: written whole or not at all, and checked when they are read.

Everything goes to a temporary file in the same folder, is forced to the disk and then renamed over the old one, so a
crash, a kill or a full disk leaves the old file as it was. Tensors are safetensors files (never pickle) that carry a
digest of their own content, because the format itself notices a truncated file but not a flipped bit.
"""

from __future__ import annotations

import errno
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from tgap.data.atomic import replace_file
from tgap.errors import RunError

Tensors = dict[str, torch.Tensor]

_HEADER, _DIGEST = "tgap", "sha256"
_REMEDIES = {
    errno.ENOSPC: "the disk is full: free some space",
    errno.EDQUOT: "the disk quota is used up: free some space",
    errno.EROFS: "the file system is read-only: choose another folder",
    errno.EACCES: "the folder may not be written to: mend its permissions or choose another folder",
    errno.EPERM: "the folder may not be written to: mend its permissions or choose another folder",
}


@contextmanager
def writing(path: Path, note: str = "") -> Iterator[None]:
    """Turn an operating-system error inside the block into one clear line about writing ``path``."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, error.strerror or str(error))
        raise RunError(f"cannot write {path}: {remedy}{f'; {note}' if note else ''}") from error


def write_bytes(path: Path, content: bytes) -> None:
    """Replace ``path`` with ``content`` atomically; on any error the old file stays and no temporary file is left."""
    replace_file(path, content)


def write_text(path: Path, text: str) -> None:
    """Replace a UTF-8 text file atomically."""
    with writing(path):
        write_bytes(path, text.encode())


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Replace a JSON file atomically."""
    write_text(path, json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def read_json(path: Path) -> dict[str, Any]:
    """Content of a JSON file that holds an object."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise RunError(f"{path} is damaged: not valid JSON ({error})") from error
    if not isinstance(value, dict):
        raise RunError(f"{path} is damaged: expected a JSON object")
    return value


def tensor_digest(tensors: Mapping[str, torch.Tensor]) -> str:
    """SHA-256 over names, types, shapes and bytes, in the order of the names."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name].detach().contiguous()
        digest.update(f"{name}|{tensor.dtype}|{tuple(tensor.shape)}|".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def encode_tensors(tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str]) -> bytes:
    """Make a safetensors file with its own digest among the metadata.

    Metadata go into one entry, because the format writes several in random order and equal runs should be equal files.
    """
    plain = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    return save_tensors(plain, metadata={_HEADER: json.dumps({**metadata, _DIGEST: tensor_digest(plain)})})


def write_tensors(path: Path, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str]) -> None:
    """Replace a safetensors file atomically."""
    with writing(path):
        write_bytes(path, encode_tensors(tensors, metadata))


def read_tensors(path: Path) -> tuple[Tensors, dict[str, str]]:
    """Tensors and metadata of a file written by ``write_tensors``; a damaged or foreign file is a RunError."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    try:
        tensors = load_tensors(content)
        header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
        metadata: dict[str, str] = json.loads(header["__metadata__"][_HEADER])
    except (SafetensorError, ValueError) as error:
        raise RunError(f"{path} is damaged: {error}") from error
    except KeyError as error:
        raise RunError(f"{path} was not written by tgap: its header has no entry {error}") from error
    if metadata.pop(_DIGEST, None) != tensor_digest(tensors):
        raise RunError(f"{path} is damaged: its content does not match the digest in its header")
    return tensors, metadata
