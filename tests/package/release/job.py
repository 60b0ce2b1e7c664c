"""job.py: the main job of the Python module, in the working directory; scripts/test-release runs it after an installation."""
import sys

import numpy
import onepass

print("Python", sys.version.split()[0], "NumPy", numpy.__version__, "onepass", onepass.__version__)
a = numpy.random.default_rng(1).random((61, 47, 3), dtype=numpy.float32)
onepass.write("a.exr", a)
assert (onepass.read("a.exr").pixels[..., :3] == a).all()
assert abs(onepass.mips(a)[-1].mean() - a.mean()) < 1e-3
assert numpy.allclose(onepass.rfft2(a[..., 0]), numpy.fft.rfft2(a[..., 0]), atol=1e-3)
onepass.write("a.png", onepass.tonemap(a, exposure=onepass.meter(a)))
