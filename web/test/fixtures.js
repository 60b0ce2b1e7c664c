// fixtures.js: what the code blocks of README.md and docs/web.md take for granted, and what must be true after each; in
// Node and in a browser.
import { readTexture } from './textures.js';

/** Types of what `prepare` makes global, for the type check of the blocks. */
export const declarations = `
declare const device: GPUDevice;
declare const canvas: HTMLCanvasElement;
declare const context: GPUCanvasContext;
declare const picture: ImageBitmap;
declare const texture: GPUTexture;
declare const scene: GPUTexture;
declare const depth: GPUTexture;
declare module 'three/webgpu';
`;

/** The picture: 37x22, of two colours in columns. */
export const pictureSize = [37, 22];
export const pictureTexels = Uint8ClampedArray.from(
  { length: 4 * 37 * 22 },
  (_, i) => [((i >> 2) % 37) % 2 ? 250 : 20, 100, ((i >> 2) % 37) % 2 ? 0 : 200, 255][i % 4],
);

/** Textures that a block has made, by any device; all can be read back, and those of rgba8unorm are filled with one colour. */
let made = [];
const fill = [40, 180, 90, 255];

function watch(devicePrototype) {
  const { createTexture } = devicePrototype;
  devicePrototype.createTexture = function create(descriptor) {
    const texture = createTexture.call(this, {
      ...descriptor,
      usage: descriptor.usage & 32 ? descriptor.usage : descriptor.usage | GPUTextureUsage.COPY_SRC,
    });
    if (texture.format === 'rgba8unorm' && descriptor.usage & GPUTextureUsage.COPY_DST) {
      const [width, height] = [texture.width, texture.height];
      this.queue.writeTexture(
        { texture },
        Uint8Array.from({ length: 4 * width * height }, (_, i) => fill[i % 4]),
        { bytesPerRow: 4 * width },
        [width, height],
      );
    }
    made.push([this, texture]);
    return texture;
  };
}

/** A depth buffer of four samples a texel: 0.25, and 0.75 in one sample of the texel at (0, 0). */
function depthOf(device) {
  const texture = device.createTexture({
    size: [64, 48],
    format: 'depth32float',
    sampleCount: 4,
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  const module = device.createShaderModule({
    code: `
@vertex fn corner(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0, 0.0, 1.0); }
@fragment fn sample(@builtin(position) at: vec4f, @builtin(sample_index) index: u32) -> @builtin(frag_depth) f32 {
  return select(0.25, 0.75, index == 2u && all(vec2u(at.xy) == vec2u(0u)));
}`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [] },
    multisample: { count: 4 },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'always' },
  });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [],
    depthStencilAttachment: {
      view: texture.createView(),
      depthLoadOp: 'clear',
      depthClearValue: 0,
      depthStoreOp: 'store',
    },
  });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  device.queue.submit([encoder.finish()]);
  return texture;
}

/** The context of a canvas whose frames are textures like others: software devices cannot present, and Node has no canvas. */
export const makeScreen = () => ({
  configure(configuration) {
    this.configuration = configuration;
  },
  unconfigure() {},
  getCurrentTexture() {
    const { device, format, usage } = this.configuration;
    return device.createTexture({ size: [64, 48], format, usage });
  },
});

/** Makes the globals that blocks use. `surface`: the canvas for an engine; `screen`: the context. */
export async function prepare(device, { surface, screen, picture }) {
  watch(Object.getPrototypeOf(device));
  const texture = device.createTexture({
    size: [16, 16],
    format: 'rgba8unorm',
    mipLevelCount: 5,
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  const scene = device.createTexture({
    size: [64, 48],
    format: 'rgba16float',
    usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
  });
  device.queue.writeTexture(
    { texture: scene },
    new Uint16Array(4 * 64 * 48).fill(0x4400),
    { bytesPerRow: 8 * 64 },
    [64, 48],
  ); // 4
  Object.assign(globalThis, {
    device,
    canvas: surface,
    context: screen,
    picture,
    texture,
    scene,
    depth: depthOf(device),
  });
  made = [];
}

const light = (code) => (code <= 0.04045 * 255 ? code / 255 / 12.92 : ((code / 255 + 0.055) / 1.055) ** 2.4);
const srgb = (value) => 255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055);

function near(got, want, allowed, what) {
  if (got.length < want.length || !want.every((value, i) => Math.abs(got[i] - value) <= allowed))
    throw new Error(`${what}: ${[...got].slice(0, 4)}, not ${want}`);
}

const madeWith = (test) => made.filter(([, texture]) => test(texture)).at(-1) ?? [null, null];
const half = (bytes) =>
  [...new Uint16Array(bytes.buffer)].map((bits) => (1 + (bits & 1023) / 1024) * 2 ** ((bits >> 10) - 15));

/** The coarsest level of the picture's texture is the mean of its light. */
async function pictureMean() {
  const [on, texture] = madeWith(({ format, mipLevelCount }) => format === 'rgba8unorm-srgb' && mipLevelCount === 6);
  const want = [0, 1, 2].map((c) => {
    let sum = 0;
    for (let i = 0; i < 37 * 22; ++i) sum += light(pictureTexels[4 * i + c]);
    return srgb(sum / (37 * 22));
  });
  near(await readTexture(on, texture, 5), [...want, 255], 1.5, 'mean of the picture');
}

/** What must be true after a block: {page: [check of each block]}. `output`: what the block wrote to console.warn. */
export const checks = {
  'README.md': [
    pictureMean,
    pictureMean,
    async () => {
      const [on, frame] = madeWith(({ width }) => width === 1919);
      near(await readTexture(on, frame, 10), fill, 1, 'mean of the frame');
    },
    async () => {
      const [, texture] = madeWith(({ width, format }) => width === 640 && format === 'rgba16float');
      if (texture.mipLevelCount !== 10) throw new Error(`${texture.mipLevelCount} levels`);
    },
  ],
  '../docs/web.md': [
    async (output) => {
      if (!/^invalid_argument target: the texture has the usage .*; STORAGE_BINDING is needed$/.test(output))
        throw new Error(output);
    },
    async () => {
      const [on, hiz] = madeWith(({ format }) => format === 'r32float');
      near(new Float32Array((await readTexture(on, hiz, 5)).buffer), [0.75], 0, 'farthest depth');
      near(new Float32Array((await readTexture(on, hiz, 0)).buffer), [0.75, 0.25], 0, 'level 1');
    },
    async () => {
      const [on, shown] = madeWith(({ format, width }) => format === 'rgba8unorm' && width === 64);
      const got = await readTexture(on, shown, 0);
      if (!(got[0] > 80 && got[0] < 160 && got.every((value, i) => value === got[i % 4])))
        throw new Error(`grey of the frame: ${got[0]}`);
    },
    async () => {
      const [on, blurred] = madeWith(
        ({ format, usage }) => format === 'rgba16float' && usage & GPUTextureUsage.STORAGE_BINDING,
      );
      near(half(await readTexture(on, blurred, 0)), [4, 4, 4, 4], 0.01, 'a constant image');
    },
  ],
};

/** Destroys what a block has made. */
export function cleanUp() {
  made = [];
}
