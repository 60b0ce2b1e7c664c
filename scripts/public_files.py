"""Compares the program's level 0 of image files with independent decoders: Pillow, tifffile for TIFF, and OpenImageIO for
OpenEXR, Radiance and PFM.

    public_files.py PROGRAM FOLDER...

Prints one line for each file that differs or that only the program refuses, and a table of counts:

    equal       every texel agrees with the other decoder, to one step of its 8 bits; JPEG, TIFF and WebP, which may hold
                JPEG or be lossy, to three; floats to 1/255 of the larger of 1 and the value
    read        the program reads it; no other decoder is at hand for it
    refused     the program refuses it with a reason, and so does the other decoder, or there is none
    only other  the other decoder reads it, the program refuses it: each with the program's reason
    known       they differ for the reason in KNOWN
    differs     texels or sizes differ
    fails       no reason, a crash or no end within a minute

Exit status 1 if a file differs or fails. Stored values are compared, upright and without conversion of colours.
"""
import collections
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np
from PIL import Image, ImageOps

try:
    import tifffile
except ImportError:
    tifffile = None
try:
    import OpenImageIO
except ImportError:
    OpenImageIO = None

EXTENSIONS = {
    ".png",
    ".jpg",
    ".jpeg",
    ".exr",
    ".hdr",
    ".pfm",
    ".ktx2",
    ".tif",
    ".tiff",
    ".webp",
    ".tga",
    ".ppm",
    ".pgm",
    ".pbm",
    ".pam",
    ".pnm",
}
# VkFormat: channels, NumPy type, largest value.
# fmt: off
FORMATS = {9: (1, "u1", 255), 15: (1, "u1", 255), 16: (2, "u1", 255), 22: (2, "u1", 255), 37: (4, "u1", 255),
           43: (4, "u1", 255), 70: (1, "<u2", 65535), 77: (2, "<u2", 65535), 91: (4, "<u2", 65535), 76: (1, "<f2", 1),
           83: (2, "<f2", 1), 97: (4, "<f2", 1), 100: (1, "<f4", 1), 103: (2, "<f4", 1), 109: (4, "<f4", 1)}
# fmt: on
# Differences with a reason: all were compared with the pictures that the collections expect, or with libpng.
KNOWN = {
    "b5-cmap.tga": "Pillow reads palettes of 15 bits as grey",
    "b5-unused-cmap.tga": "Pillow does not skip a palette that is not used",
    "utc32.tga": "alpha is 0 everywhere, which onepass takes as opaque",
    "rgb32rle.tga": "no attribute bits are declared, so that the fourth byte is not alpha",
    "rgb32rle_bottom_right.tga": "the same",
    "rgb32rle_top_right.tga": "the same",
    "16_bit_binary_pgm.tiff": "signed integers are read as floats of the same value",
    "16bit.s.tif": "the same",
    "hopper.Lab.tif": "LittleCMS converts 8 bits by a table; onepass agrees with the formulas of CIE",
    "hopper_be.pfm": "OpenImageIO multiplies by the scale of the header, Pillow and onepass do not",
    "bad_palette_index.webp": "an index beyond the palette is transparent black; the file declares no alpha",
    "CandleGlass.exr": "straight colours beyond the largest half are stored as it",
    "exif_imagemagick_orientation.png": "the orientation stands in a text chunk",
    "xmp_tags_orientation.png": "the orientation stands in XMP",
    "xmp_tags_orientation_exiftool.png": "the same",
}


def read_ktx2(path):
    """Level 0, slice 0 of an uncompressed KTX2 file: floats, 0 to 1 for integers, (H, W, C)."""
    with open(path, "rb") as file:
        data = file.read()
    code, _, width, height = struct.unpack_from("<4I", data, 12)
    offset, _, _ = struct.unpack_from("<3Q", data, 80)
    if code not in FORMATS:
        return None
    channels, kind, most = FORMATS[code]
    texels = np.frombuffer(data, kind, width * height * channels, offset).reshape(height, width, channels)
    with np.errstate(invalid="ignore"):  # NaN of float files
        return texels.astype(np.float64) / most


def decode(program, path, folder):
    """The program's level 0 and its reason for a refusal; None, "" for a failure without reason."""
    out = os.path.join(folder, "out.ktx2")
    if os.path.exists(out):
        os.remove(out)
    command = [
        program,
        "mips",
        "--levels",
        "1",
        "--color",
        "linear",
        "--input-primaries",
        "rec709",
        "--engine",
        "cpu",
        "-q",
        "-o",
        out,
        "--",
        path,
    ]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return None, ""
    if done.returncode == 0:
        return read_ktx2(out), None
    message = done.stderr.decode("utf-8", "replace").strip()
    return None, message.split(": ", 2)[-1] if done.returncode == 1 and "\n" not in message else ""


def decode_floats(path):
    """The first part of a file of floats, its data window, with straight alpha, by OpenImageIO; None if it refuses."""
    if OpenImageIO is None:
        return None
    file = OpenImageIO.ImageInput.open(path)
    if file is None:
        return None
    spec = file.spec()
    names = [name.rsplit(".", 1)[-1].upper() for name in spec.channelnames]
    if {"R", "G", "B"} <= set(names):
        wanted = [names.index(channel) for channel in "RGBA" if channel in names]
    elif set(names) <= {"Y", "A"}:
        wanted = [names.index(channel) for channel in "YA" if channel in names]
    else:
        return None
    if "cube" in spec.get_string_attribute("textureformat").lower():  # six pictures there, one here
        return None
    texels = file.read_image(0, 0, 0, spec.nchannels, OpenImageIO.FLOAT)
    if texels is None:
        return None
    texels = np.asarray(texels, np.float64).reshape(spec.height, spec.width, -1)[:, :, wanted]
    if len(wanted) in (2, 4):
        alpha = texels[:, :, -1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            texels[:, :, :-1] = np.where(alpha > 0, texels[:, :, :-1] / alpha, texels[:, :, :-1])
    return texels


def is_narrow_grey(path):
    with open(path, "rb") as file:
        depth, colour = file.read(26)[24:]
    return colour == 0 and depth < 8


def decode_otherwise(path):
    """The same by another decoder: floats (H, W, C); None if it refuses or has fewer bits than the file."""
    extension = os.path.splitext(path)[1].lower()
    if extension == ".ktx2":
        return None
    if extension in (".exr", ".hdr", ".pfm"):
        return decode_floats(path)
    try:
        with Image.open(path) as image:
            if getattr(image, "n_frames", 1) > 1 and extension == ".webp":
                return None
            image.load()
            if image.mode == "RGBa" or (image.mode.startswith("I") and "transparency" in image.info):
                return None  # conversion would lose bits
            if extension == ".png" and "transparency" in image.info and is_narrow_grey(path):
                return None  # Pillow does not scale the transparent grey of fewer than 8 bits
            if extension in (".tif", ".tiff") and image.tag_v2.get(338) == (1,):
                return None  # Pillow divides by alpha after a rounding to 8 bits
            if extension not in (".tif", ".tiff"):  # these Pillow has turned already
                image = ImageOps.exif_transpose(image)
            if image.mode in ("I;16", "I;16B", "I"):
                return np.asarray(image, np.float64)[:, :, None] / 65535
            if image.mode in ("1", "L") and "transparency" not in image.info:
                return np.asarray(image.convert("L"), np.float64)[:, :, None] / 255
            if image.mode == "CMYK":
                inks = 1 - np.asarray(image, np.float64) / 255
                return inks[:, :, :3] * inks[:, :, 3:]
            if image.mode == "F":
                return None
            return np.asarray(image.convert("RGBA"), np.float64) / 255
    except Exception:  # Pillow raises nearly every kind
        pass
    if tifffile is None or extension not in (".tif", ".tiff"):
        return None
    try:
        with tifffile.TiffFile(path) as file:
            if file.pages[0].photometric not in (1, 2):  # minimum is black, RGB
                return None
            texels = file.pages[0].asarray()
    except Exception:
        return None
    if texels.dtype.kind != "u" or texels.ndim not in (2, 3) or (texels.ndim == 3 and texels.shape[2] > 4):
        return None
    return np.atleast_3d(texels.astype(np.float64)) / np.iinfo(texels.dtype).max


def as_rgba(texels):
    height, width, channels = texels.shape
    if channels == 4:
        return texels
    if channels < 3:
        colour = np.repeat(texels[:, :, :1], 3, axis=2)
        alpha = texels[:, :, 1:2] if channels == 2 else np.ones((height, width, 1))
        return np.concatenate([colour, alpha], axis=2)
    return np.concatenate([texels, np.ones((height, width, 1))], axis=2)


def compare(path, ours, other):
    if ours.shape[:2] != other.shape[:2]:
        return f"{ours.shape[1]}x{ours.shape[0]}, the other decoder {other.shape[1]}x{other.shape[0]}"
    lossy = os.path.splitext(path)[1].lower() in (".jpg", ".jpeg", ".webp", ".tif", ".tiff")
    bound = (3.01 if lossy else 1.01) / 255
    ours, other = as_rgba(ours), as_rgba(other)
    with np.errstate(invalid="ignore"):
        difference = np.abs(ours - other) / np.maximum(np.abs(other), 1)
    difference[(ours == other) | ~np.isfinite(other)] = 0  # NaN and Inf of a file are replaced, with a warning
    worst = np.unravel_index(np.argmax(difference), difference.shape)
    if difference[worst] <= bound:
        return None
    return f"texel ({worst[1]}, {worst[0]}) channel {worst[2]} by {255 * difference[worst]:.1f} of 255"


def main():
    program, folders = sys.argv[1], sys.argv[2:]
    kinds = ["equal", "read", "refused", "only other", "known", "differs", "fails"]
    table = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as work:
        for folder in folders:
            name = os.path.basename(os.path.normpath(folder))
            files = sorted(os.path.join(where, file) for where, _, found in os.walk(folder) for file in found)
            for path in files:
                if os.path.splitext(path)[1].lower() not in EXTENSIONS:
                    continue
                ours, reason = decode(program, path, work)
                other = decode_otherwise(path)
                said = ""
                if reason == "" or (reason is None and ours is None):
                    kind = "fails"
                elif reason is not None:
                    kind, said = ("only other", reason) if other is not None else ("refused", "")
                elif other is None:
                    kind = "read"
                else:
                    said = compare(path, ours, other)
                    kind = "equal" if said is None else "known" if os.path.basename(path) in KNOWN else "differs"
                table[name][kind] += 1
                if kind in ("only other", "differs", "fails"):
                    print(f"{kind}: {os.path.relpath(path, folder)} ({name}): {said}", flush=True)
    print("\n| folder | files |", " | ".join(kinds), "|")
    print("| --- |", " | ".join(["---:"] * (len(kinds) + 1)), "|")
    for name, counts in table.items():
        print(f"| {name} | {sum(counts.values())} |", " | ".join(str(counts[kind]) for kind in kinds), "|")
    return 1 if any(counts["differs"] + counts["fails"] for counts in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
