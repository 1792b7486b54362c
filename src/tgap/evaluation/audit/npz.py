"""Arrays of an .npz file without loading them: a plain array inside it is mapped from where it lies on the disk."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

_LOCAL_HEADER = 30  # bytes before a member's name; the last four are the lengths of name and extra field


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """Arrays by name. Of an archive that is not compressed (``np.savez``) large ones stay on the disk.

    Rows of scores over all entities take gigabytes; whoever reads them batch by batch needs only a batch. Pickled
    objects are refused.
    """
    with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
        arrays: dict[str, NDArray[Any]] = {}
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            if member.compress_type == zipfile.ZIP_STORED and member.file_size > 1 << 20:
                file.seek(member.header_offset + _LOCAL_HEADER - 4)
                lengths = file.read(4)
                skip = int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little")
                file.seek(member.header_offset + _LOCAL_HEADER + skip)
                arrays[name] = _mapped(path, file)
            else:
                with archive.open(member) as content:
                    arrays[name] = npy.read_array(content, allow_pickle=False)
    return arrays


def _mapped(path: Path, file: Any) -> NDArray[Any]:
    version = npy.read_magic(file)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read_header(file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects; save texts as numpy strings (np.array([...], dtype=str))")
    return np.memmap(path, dtype=dtype, mode="r", offset=file.tell(), shape=shape, order="F" if fortran else "C")
