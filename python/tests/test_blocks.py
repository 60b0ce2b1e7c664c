"""Block-compressed textures: compress(), decompress(), and files of blocks."""
import io
import struct

import numpy as np
import pytest
from conftest import sample

import onepass
from onepass import _c

CHANNELS = {"bc1": 4, "bc3": 4, "bc4": 1, "bc5": 2, "bc6h": 3, "bc7": 4}
HAS_ASTC = onepass._library.lib.onepass_has_astc() != 0


def smooth(shape, dtype=np.uint8):
    """A picture that blocks can hold."""
    y, x = np.mgrid[0 : shape[-3], 0 : shape[-2]]
    waves = [0.5 + 0.4 * np.sin(0.07 * x * (c + 1) / 2 + 0.05 * y) for c in range(shape[-1])]
    a = np.broadcast_to(np.stack(waves, -1), shape)
    return np.ascontiguousarray((a * 255).round().astype(dtype) if dtype == np.uint8 else a.astype(dtype))


def decibels(a, b):
    return 10 * np.log10(255.0**2 / max(1e-9, np.mean((a.astype(float) - b) ** 2)))


@pytest.mark.parametrize("name", CHANNELS)
@pytest.mark.parametrize("size", [(1, 1), (5, 3), (30, 49)])
def test_texels_come_back(name, size):
    channels = CHANNELS[name]
    a = smooth(size + (channels,), np.float16 if name == "bc6h" else np.uint8)
    if name in ("bc1", "bc3", "bc7"):
        a[..., 3] = 255
    a = a[..., 0] if channels == 1 else a
    blocks = onepass.compress(a, name)
    bytes_per_block = 8 if name in ("bc1", "bc4") else 16
    assert blocks.data.shape == (-(-size[0] // 4), -(-size[1] // 4), bytes_per_block)
    assert blocks.shape == size
    back = onepass.decompress(blocks)
    assert back.shape == a.shape
    if name == "bc6h":
        assert back.dtype == np.float32
        assert np.allclose(back, a, rtol=0.1, atol=0.01)
    else:
        assert back.dtype == np.uint8
        assert decibels(a, back) > 30


def test_formats_follow_the_colours():
    a = smooth((8, 8, 4))
    assert onepass.compress(a).format == "bc7_unorm"
    assert onepass.compress(a, color="srgb").format == "bc7_srgb"
    assert onepass.compress(a, "bc1", color="srgb").format == "bc1_rgba_srgb"
    assert onepass.compress(a[..., :3], "bc1").format == "bc1_rgb_unorm"
    assert onepass.compress(a, "bc5_snorm").format == "bc5_snorm"
    assert onepass.compress(a.astype(np.float32), "bc6h").format == "bc6h_ufloat"
    with pytest.raises(onepass.ArgumentError, match="format 'bc4' has no form for color='srgb'"):
        onepass.compress(a, "bc4", color="srgb")
    with pytest.raises(onepass.ArgumentError, match="format is 'bc9', expected one of astc_10x10, .*bc7"):
        onepass.compress(a, "bc9")
    with pytest.raises(onepass.ArgumentError, match="format is 'astc_9x9', expected one of"):
        onepass.compress(a.astype(np.float32), "astc_9x9")
    with pytest.raises(onepass.ArgumentError, match="format is 7, expected a string"):
        onepass.compress(a, 7)
    with pytest.raises(onepass.ArgumentError, match="bc2_unorm can only be decompressed"):
        onepass.compress(a, "bc2")


def test_three_channels_are_opaque():
    a = smooth((13, 9, 3))
    back = onepass.decompress(onepass.compress(a, color="srgb"))
    assert back.shape == (13, 9, 4)
    assert (back[..., 3] == 255).all()
    assert decibels(a, back[..., :3]) > 40


def test_qualities_and_options_have_an_effect(rng):
    a = sample(rng, (64, 64, 4), np.uint8)
    made = {q: onepass.compress(a, quality=q) for q in ("fast", "normal", "best")}
    errors = [np.mean((onepass.decompress(made[q]).astype(float) - a) ** 2) for q in ("best", "normal", "fast")]
    assert errors[0] < errors[1] < errors[2]
    assert (onepass.compress(a, metric="luma").data != made["normal"].data).any()
    assert (onepass.compress(a, alpha="weighted").data != made["normal"].data).any()
    loose, strict = (onepass.compress(a, "bc1", alpha_threshold=t) for t in (0.1, 0.9))
    assert (onepass.decompress(loose)[..., 3] == 255).sum() > (onepass.decompress(strict)[..., 3] == 255).sum()
    assert (onepass.compress(a, threads=1).data == made["normal"].data).all()
    with pytest.raises(onepass.ArgumentError, match="quality is 'good', expected one of 'fast', 'normal', 'best'"):
        onepass.compress(a, quality="good")
    with pytest.raises(onepass.ArgumentError, match="alpha_threshold"):
        onepass.compress(a, "bc1", alpha_threshold=2)


def test_stacks(rng):
    a = sample(rng, (3, 10, 7, 4), np.uint8)
    blocks = onepass.compress(a)
    assert blocks.data.shape == (3, 3, 2, 16)
    assert blocks.shape == (3, 10, 7)
    for n in range(3):
        assert (onepass.compress(a[n]).data == blocks.data[n]).all()
    back = onepass.decompress(blocks)
    assert back.shape == a.shape
    assert (back[1] == onepass.decompress(onepass.compress(a[1]))).all()
    assert onepass.decompress(onepass.compress(a[..., :1], "bc4")).shape == (3, 10, 7, 1)


def test_results_of_any_type():
    a = smooth((12, 12, 4))
    blocks = onepass.compress(a, color="srgb")
    code = onepass.decompress(blocks).astype(np.float64) / 255
    light = onepass.decompress(blocks, dtype=np.float32)
    linear = np.where(code <= 0.04045, code / 12.92, ((code + 0.055) / 1.055) ** 2.4)
    linear[..., 3] = code[..., 3]
    assert np.allclose(light, linear, atol=1e-6)
    out = np.zeros((12, 24, 4), np.float32)[:, ::2]
    with pytest.raises(onepass.ArgumentError, match="out has shape"):
        onepass.decompress(blocks, out=np.zeros((12, 11, 4), np.float32), dtype=np.float32)
    assert onepass.decompress(blocks, out=out, dtype=np.float32) is out
    assert (out == light).all()
    with pytest.raises(onepass.ArgumentError, match="dtype is int32"):
        onepass.decompress(blocks, dtype=np.int32)


def test_blocks_from_elsewhere_are_checked():
    good = onepass.compress(smooth((9, 9, 4)))
    again = onepass.Blocks(good.data.copy(), good.format, [9, 9])
    assert (onepass.decompress(again) == onepass.decompress(good)).all()
    spread = onepass.Blocks(np.repeat(good.data, 2, axis=1)[:, ::2], good.format, (9, 9))
    assert (onepass.decompress(spread) == onepass.decompress(good)).all()
    for bad, text in [
        (onepass.Blocks(good.data, "bc8", (9, 9)), "have the format 'bc8'"),
        (onepass.Blocks(good.data, good.format, (9, 0)), "have the shape"),
        (onepass.Blocks(good.data, good.format, (13, 9)), r"not uint8 of shape \(4, 3, 16\)"),
        (onepass.Blocks(good.data.astype(np.int8), good.format, (9, 9)), "not uint8"),
        (onepass.Blocks(good.data, good.format, (2, 9, 9)), "not uint8 of shape"),
        (good.data, "expected what compress"),
    ]:
        with pytest.raises(onepass.ArgumentError, match=text):
            onepass.decompress(bad)


@pytest.mark.parametrize("extension", ["ktx2", "dds"])
def test_files_hold_blocks(tmp_path, extension):
    levels = onepass.mips(smooth((20, 24, 4)), color="srgb")
    blocks = [onepass.compress(level, color="srgb") for level in levels]
    path = tmp_path / f"a.{extension}"
    onepass.write(path, blocks)
    read = onepass.read(path)
    assert len(read.levels) == len(levels)
    for kept, level in zip(read.levels, blocks):
        assert (kept == onepass.decompress(level)).all()
    if extension == "ktx2":
        assert struct.unpack_from("<I", path.read_bytes(), 12)[0] == _c.ONEPASS_BLOCK_FORMAT["BC7_SRGB"]
    memory = io.BytesIO()
    onepass.write(memory, blocks[0], type=extension, alpha="premultiplied")
    assert onepass.read(memory.getvalue()).alpha == "premultiplied"
    faces = onepass.compress(np.repeat(smooth((1, 8, 8, 4)), 6, axis=0))
    onepass.write(path, faces, cube=True)
    assert onepass.read(path).cube
    if extension == "dds":
        onepass.write(path, onepass.compress(smooth((8, 8, 4)), "bc3"), dds_header="legacy")
        assert path.read_bytes()[84:88] == b"DXT5"
        onepass.write(path, smooth((8, 8, 4)), dds_header="legacy")
        assert (onepass.read(path).pixels == smooth((8, 8, 4))).all()
    with pytest.raises(onepass.ArgumentError, match="color is 'srgb', but blocks are written as they are"):
        onepass.write(path, blocks, color="srgb")
    with pytest.raises(onepass.UnsupportedError, match=r'blocks to files with the extension ".png"; .ktx2 and .dds'):
        onepass.write(tmp_path / "a.png", blocks[0])
    assert not (tmp_path / "a.png").exists()
    with pytest.raises(onepass.ArgumentError):
        onepass.write(path, [blocks[0], blocks[2]])


@pytest.mark.skipif(not HAS_ASTC, reason="built without astcenc")
def test_astc(tmp_path):
    a = smooth((31, 44, 4))
    blocks = onepass.compress(a, "astc_8x5", color="srgb", quality="fast")
    assert blocks.format == "astc_8x5_srgb"
    assert blocks.data.shape == (7, 6, 16)
    assert decibels(a, onepass.decompress(blocks)) > 30
    onepass.write(tmp_path / "a.ktx2", blocks, zstd_level=3)
    assert (onepass.read(tmp_path / "a.ktx2").pixels == onepass.decompress(blocks)).all()
    light = onepass.compress(smooth((8, 8, 4), np.float32) * 100, "astc_4x4", quality="fast")
    assert light.format == "astc_4x4_sfloat"
    assert np.allclose(onepass.decompress(light)[..., :3], smooth((8, 8, 4), np.float32)[..., :3] * 100, rtol=0.1)
    with pytest.raises(onepass.UnsupportedError, match="astc_8x5_srgb has no form in DDS"):
        onepass.write(tmp_path / "a.dds", blocks)


@pytest.mark.skipif(HAS_ASTC, reason="built with astcenc")
def test_without_astcenc_it_is_refused():
    with pytest.raises(onepass.UnsupportedError, match="astc_4x4_unorm needs astcenc"):
        onepass.compress(smooth((8, 8, 4)), "astc_4x4")
