"""The tone map of shaders/onepass/tone_map.glsl in PyTorch's functions, for the gradients of onepass.torch.tonemap().

An operator is a program of matrices and curves; a curve is a table of cubics, indexed by exponent and first mantissa
bits. The derivative is that of the cubics.
"""
from __future__ import annotations

import ctypes
import functools
import json
from ctypes import byref, c_void_p
from typing import Any, Dict, List, NamedTuple

import numpy as np
import torch
from torch import Tensor

from . import _c, _engines, _fields
from ._library import call, initialised, lib

_STAGES, _CURVES, _PIECES = 4, 6, 128
_NO_MIX, _LUMINANCE, _NEUTRAL = 0, 1, 2
_HUE_BEFORE, _HUE_AFTER = 0.6, 0.4
#: Squares below it have no derivative: that of the root would be infinite at 0.
_LEAST_SQUARE = 1e-20
_MOST_LIGHT = 65504.0


class Program(NamedTuple):
    """The numbers of an operator: rows of ToneMapProgram, cubics, and the macros of the header."""

    rows: Tensor
    cubics: Tensor
    macros: Dict[str, int]

    def has(self, name: str, bit: int) -> bool:
        """Whether a bit of a mask is set."""
        return bool(self.macros[name] >> bit & 1)


@functools.lru_cache(maxsize=32)
def program_of(options: str) -> Program:
    """The program for the options of a tone map, as JSON."""
    o = initialised(_c.onepass_tone_map_options)
    _fields.assign(o, json.loads(options), _engines.ToneMap.NAMES, _engines.ToneMap.FLAGS)
    o.size, o.slices = _c.onepass_extent(1, 1), 1
    o.source = o.target = _c.ONEPASS_FORMAT["R32G32B32A32_SFLOAT"]
    shader = c_void_p()
    call(lib.onepass_tone_map_shader_create, byref(o), byref(shader))
    try:
        arrays: List[Any] = []
        for function in (lib.onepass_tone_map_shader_program, lib.onepass_tone_map_shader_cubics):
            count = ctypes.c_size_t()
            floats = function(shader, byref(count))
            arrays.append(torch.from_numpy(np.ctypeslib.as_array(floats, (count.value,)).copy()).view(-1, 4))
        macros = {"OOTF_STAGE": _STAGES}
        for line in lib.onepass_tone_map_shader_definitions(shader).decode().splitlines():
            _, name, value = line.split()
            number = {"true": 1, "false": 0}.get(value)
            macros[name[len("ONEPASS_TONE_") :]] = int(value.rstrip("u")) if number is None else number
        return Program(*arrays, macros)
    finally:
        lib.onepass_tone_map_shader_destroy(shader)


class Formula:
    """A program on one device in one precision. Colours are tensors whose last axis is red, green and blue."""

    def __init__(self, program: Program, like: Tensor) -> None:
        self.program, self.macros = program, program.macros
        self.cubics = program.cubics.to(like)
        rows = program.rows.tolist()
        self.shapes, self.matrices = rows[:_CURVES], rows[_CURVES : _CURVES + 3 * _STAGES]
        self.rail, self.ootf = rows[_CURVES + 3 * _STAGES : _CURVES + 3 * _STAGES + 2]
        self.has_ootf = self.macros["OOTF_STAGE"] < _STAGES
        self.extra = self.macros["CURVE_COUNT"] - (2 if self.has_ootf else 1)

    def curve(self, slot: int, x: Tensor) -> Tensor:
        """The value of a curve at x >= 0."""
        top, scale, _, bottom = self.shapes[slot]
        foot = self.program.has("FOOT_MASK", slot)
        s = x.clamp(bottom if foot else None, top)
        if self.program.has("ROOT_MASK", slot):
            s = s.clamp(min=_LEAST_SQUARE).sqrt()
        w = s * scale + (0.0 if foot else 1.0)
        bits = w.detach().float().contiguous().view(torch.int32)
        shift = self.macros["SHIFTS"] >> (5 * slot) & 31
        fine = bool(self.macros["FINE"])
        pieces = _PIECES * (2 if fine and slot == 0 else 1)
        piece = ((bits >> shift) - (0x3F800000 >> shift)).clamp(0, pieces - 1).long()
        begin = (slot + (1 if fine and slot > 0 else 0)) * _PIECES
        c = self.cubics[begin + piece]
        m = w * torch.exp2((127 - (bits >> 23)).to(w))
        return ((c[..., 3] * m + c[..., 2]) * m + c[..., 1]) * m + c[..., 0]

    def neutral(self, c: Tensor) -> Tensor:
        """Khronos PBR Neutral."""
        least = c.amin(-1, True)
        c = c - torch.where(least < 0.08, least - 6.25 * least * least, torch.full_like(least, 0.04))
        peak = c.amax(-1, True)
        bright = peak.clamp(min=0.76)
        pressed = 1.0 - 0.0576 / (bright - 0.52)
        left = 1.0 / (0.15 * (bright - pressed) + 1.0)
        return torch.where(peak < 0.76, c, pressed + (c * (pressed / bright) - pressed) * left)

    def keep_hue(self, before: Tensor, after: Tensor) -> Tensor:
        """Moves the hue of `after` by a share of the way back to that of `before`."""
        low, to = before.amin(-1, True), after.amin(-1, True)
        extent = (before.amax(-1, True) - low).clamp(min=1e-30)
        stretch = _HUE_BEFORE * (after.amax(-1, True) - to) / extent
        return _HUE_AFTER * after + (before * stretch + (_HUE_BEFORE * to - low * stretch))

    def compensated(self, luminance: Tensor, saturation: Tensor) -> Tensor:
        """Luminance plus a share of the saturation."""
        share = self.curve(self.extra, luminance.clamp(min=0))
        whole = saturation + luminance
        return whole + share * (luminance - whole)

    def guard(self, c: Tensor) -> Tensor:
        """Moves colours with a negative channel into the gamut."""
        least, most = c.amin(-1), c.amax(-1)
        y = (c * c.new_tensor(self.rail[:3])).sum(-1)
        saturation = (most - least) - (most * self.rail[3] - y)
        wanted = self.compensated(y, saturation)
        got = self.compensated(y - least * self.rail[3], saturation)
        scale = torch.where(got > wanted, wanted / got.clamp(min=1e-30), torch.ones_like(got))
        return torch.where(least[..., None] >= 0, c, (c - least[..., None]) * scale[..., None])

    def light(self, c: Tensor) -> Tensor:
        """Exposed light to the stored value."""
        macros, has = self.macros, self.program.has
        if macros["MIX"] == _LUMINANCE:
            c = c * self.curve(self.extra, (c * c.new_tensor([0.2126, 0.7152, 0.0722])).sum(-1))[..., None]
        if macros["MIX"] == _NEUTRAL:
            c = self.neutral(c)
        slot = 0
        for i in range(_STAGES):
            most = self.matrices[3 * i][3]
            bends = has("CURVE_MASK", i)
            keeps = i == 0 and bool(macros["KEEPS_HUE"])
            if has("MATRIX_MASK", i):
                c = c @ c.new_tensor([row[:3] for row in self.matrices[3 * i : 3 * i + 3]]).T
                if i == 1 and macros["GUARD_RAIL"]:
                    c = self.guard(c)
                c = c.clamp(0, most if not bends or keeps else None)
            if self.has_ootf and i == macros["OOTF_STAGE"]:
                c = c.clamp(0, most)
                luminance = (c * c.new_tensor(self.ootf[:3])).sum(-1)
                c = c * self.curve(macros["CURVE_COUNT"] - 1, luminance)[..., None]
            if bends:
                before = c
                if i > 0 and not has("MATRIX_MASK", i):
                    c = c.clamp(min=0)
                c = self.curve(slot, c)
                if keeps:
                    c = self.keep_hue(before, c)
                slot += 1
        return c.clamp(min=0)

    def map(self, texels: Tensor, exposure: Tensor) -> Tensor:
        """Texels (..., 1 to 4 channels) of linear light to stored values. NaN and negative light become 0."""
        channels = texels.shape[-1]
        alpha = texels[..., channels - 1 :] if channels in (2, 4) else None
        colours = 1 if channels < 3 else 3
        light = texels[..., :colours].expand(*texels.shape[:-1], 3) * exposure
        light = torch.where(light > 0, light, torch.zeros_like(light))
        first = self.macros["MIX"] == _NO_MIX and not self.program.has("MATRIX_MASK", 0)
        if not (first and not self.macros["KEEPS_HUE"] and self.program.has("CURVE_MASK", 0)):
            light = light.clamp(max=_MOST_LIGHT)
        stored = self.light(light)[..., :colours]
        if alpha is None:
            return stored
        return torch.cat((stored, torch.where(alpha == alpha, alpha, torch.zeros_like(alpha))), -1)
