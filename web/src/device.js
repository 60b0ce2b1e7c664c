// device.js: what all techniques share on a device: its limits by name, cached pipelines, allocation with errors.
import { OnepassError, invalid } from './errors.js';

/**
 * @typedef {object} DeviceState
 * @property {string} lost            Why the device was lost; empty while it is not.
 * @property {Map<string, Promise<GPUComputePipeline | GPURenderPipeline>>} pipelines  By WGSL text and entry point or format.
 */

/** @type {WeakMap<GPUDevice, DeviceState>} */
const states = new WeakMap();

/**
 * @param {GPUDevice} device
 * @returns {DeviceState}
 */
function stateOf(device) {
  let state = states.get(device);
  if (!state) {
    /** @type {DeviceState} */
    const made = { lost: '', pipelines: new Map() };
    device.lost.then((info) => {
      made.lost = info.message || info.reason || 'unknown';
      made.pipelines.clear();
    });
    states.set(device, made);
    state = made;
  }
  return state;
}

/**
 * Rejects if `device` is no device, or is lost.
 * @param {GPUDevice} device
 */
export async function checkDevice(device) {
  if (!device || typeof device.createComputePipelineAsync !== 'function') {
    throw invalid('device: is not a GPUDevice');
  }
  // stateOf() hears of a loss some microtasks after the promise is settled; a race hears of it at once.
  const info = await Promise.race([device.lost, null]);
  const lost = info ? info.message || info.reason || 'unknown' : stateOf(device).lost;
  if (lost) throw new OnepassError('device_lost', `device: lost: ${lost}`);
}

/**
 * Throws if a limit of the device is below `needed`.
 * @param {GPUDevice} device
 * @param {keyof GPUSupportedLimits} name
 * @param {number} needed
 * @param {string} why
 */
export function needLimit(device, name, needed, why) {
  const has = /** @type {number} */ (device.limits[name]);
  if (has < needed) {
    throw new OnepassError('unsupported', `${name}: the device has ${has}, ${needed} needed for ${why}`);
  }
}

/**
 * Throws if a texture of this size and number of slices would exceed the device's limits.
 * @param {GPUDevice} device
 * @param {readonly [number, number]} size
 * @param {number} slices
 */
export function needTexture(device, size, slices) {
  needLimit(device, 'maxTextureDimension2D', Math.max(...size), `size ${size[0]}x${size[1]}`);
  needLimit(device, 'maxTextureArrayLayers', slices, `${slices} slices`);
}

/**
 * Throws if a feature is not enabled on the device.
 * @param {GPUDevice} device
 * @param {GPUFeatureName} name
 * @param {string} why
 */
export function needFeature(device, name, why) {
  if (!device.features.has(name)) {
    throw new OnepassError('unsupported', `${name}: the device was requested without this feature, needed for ${why}`);
  }
}

/**
 * A pipeline, compiled once a device and key.
 * @template {GPUComputePipeline | GPURenderPipeline} T
 * @param {GPUDevice} device
 * @param {string} label
 * @param {string} code
 * @param {string} key
 * @param {(module: GPUShaderModule) => Promise<T>} make
 * @returns {Promise<T>}
 */
async function cachedPipeline(device, label, code, key, make) {
  const { pipelines } = stateOf(device);
  let pipeline = /** @type {Promise<T> | undefined} */ (pipelines.get(key));
  if (!pipeline) {
    // Errors of the text are also those of the pipeline, which reports them.
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ label, code });
    const scope = device.popErrorScope();
    pipeline = Promise.all([make(module), scope]).then(
      ([result]) => result,
      async (error) => {
        const cause = await scope.catch(() => null);
        throw new Error(cause?.message || error.message);
      },
    );
    pipeline.catch(() => pipelines.delete(key));
    pipelines.set(key, pipeline);
  }
  try {
    const compiled = await pipeline;
    await checkDevice(device); // a lost device compiles everything
    return compiled;
  } catch (error) {
    await checkDevice(device);
    throw new OnepassError('device', `${label}: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * A compute pipeline with the layout `auto`. Equal texts share one pipeline.
 * @param {GPUDevice} device
 * @param {string} label
 * @param {string} code
 * @param {string} [entryPoint]
 * @returns {Promise<GPUComputePipeline>}
 */
export const makePipeline = (device, label, code, entryPoint = 'main') =>
  cachedPipeline(device, label, code, `${entryPoint}\n${code}`, (module) =>
    device.createComputePipelineAsync({ label, layout: 'auto', compute: { module, entryPoint } }),
  );

/**
 * A pipeline that draws triangles to one attachment.
 * @param {GPUDevice} device
 * @param {string} label
 * @param {string} code
 * @param {GPUTextureFormat} format  Of the attachment.
 * @returns {Promise<GPURenderPipeline>}
 */
export const makeDrawPipeline = (device, label, code, format) =>
  cachedPipeline(device, label, code, `${format}\n${code}`, (module) =>
    device.createRenderPipelineAsync({
      label,
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format }] },
    }),
  );

/**
 * Makes a view of a texture; an error of the device is reported with the name of the field.
 * @typedef {(field: string, texture: GPUTexture, descriptor: GPUTextureViewDescriptor) => GPUTextureView} MakeView
 */

/**
 * Runs `make`, which creates views, buffers, textures and bind groups. An error of the device becomes a OnepassError, and
 * what was made is destroyed.
 * @template T
 * @param {GPUDevice} device
 * @param {string} what
 * @param {(own: <R extends {destroy(): void}>(resource: R) => R, view: MakeView) => T} make
 * @returns {Promise<T>}
 */
export async function allocate(device, what, make) {
  await checkDevice(device);
  /** @type {{destroy(): void}[]} */
  const owned = [];
  /** @type {Promise<void>[]} */
  const views = [];
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  let result;
  /** @type {unknown} */
  let thrown;
  try {
    result = make(
      (resource) => {
        owned.push(resource);
        return resource;
      },
      (field, texture, descriptor) => {
        device.pushErrorScope('validation');
        const made = texture.createView(descriptor);
        views.push(
          device.popErrorScope().then((error) => {
            if (error) throw invalid(`${field}: ${textureName(texture)}: ${error.message}`);
          }),
        );
        return made;
      },
    );
  } catch (error) {
    thrown = error;
  }
  const memory = device.popErrorScope();
  const validation = device.popErrorScope();
  try {
    const [noMemory, notValid, ...named] = await Promise.allSettled([memory, validation, ...views]);
    await checkDevice(device);
    if (thrown) throw thrown;
    for (const one of named) if (one.status === 'rejected') throw one.reason;
    const [memoryError, error] = [noMemory, notValid].map((one) => (one.status === 'fulfilled' ? one.value : null));
    if (memoryError) throw new OnepassError('out_of_memory', `${what}: ${memoryError.message || 'no memory left'}`);
    if (error) throw invalid(`${what}: ${error.message}`);
  } catch (error) {
    owned.forEach((resource) => resource.destroy());
    if (error instanceof RangeError) throw new OnepassError('out_of_memory', `${what}: ${error.message}`);
    throw error;
  }
  return /** @type {T} */ (result);
}

/**
 * Runs `make`; if it fails, destroys `made`, what it has made before.
 * @template T
 * @param {{destroy(): void}[]} made
 * @param {() => Promise<T>} make
 * @returns {Promise<T>}
 */
export async function orDestroy(made, make) {
  try {
    return await make();
  } catch (error) {
    made.forEach((resource) => resource.destroy());
    throw error;
  }
}

/** A texture in a message. @param {GPUTexture} texture */
export const textureName = (texture) => (texture.label ? `the texture "${texture.label}"` : 'the texture');

const textureUsages = ['COPY_SRC', 'COPY_DST', 'TEXTURE_BINDING', 'STORAGE_BINDING', 'RENDER_ATTACHMENT'];
const bufferUsages = [
  'MAP_READ',
  'MAP_WRITE',
  'COPY_SRC',
  'COPY_DST',
  'INDEX',
  'VERTEX',
  'UNIFORM',
  'STORAGE',
  'INDIRECT',
  'QUERY_RESOLVE',
];

/** @param {number} bits @param {string[]} names */
const usageNames = (bits, names) => names.filter((_, i) => bits & (2 ** i)).join(' | ') || 'none';

/** @param {GPUTexture} texture */
export const usageNamesOf = (texture) => usageNames(texture.usage, textureUsages);

/**
 * Throws if a texture lacks a usage.
 * @param {string} field
 * @param {GPUTexture} texture
 * @param {number} needed  One of textureUsage.
 */
export function needTextureUsage(field, texture, needed) {
  if (texture.usage & needed) return;
  throw invalid(
    `${field}: ${textureName(texture)} has the usage ${usageNamesOf(texture)}; ` +
      `${usageNames(needed, textureUsages)} is needed`,
  );
}

/**
 * Throws if a buffer is none, is too small or has not the usage STORAGE.
 * @param {string} field
 * @param {GPUBuffer | undefined} buffer
 * @param {number} bytes
 */
export function needStorageBuffer(field, buffer, bytes) {
  if (typeof buffer?.mapAsync !== 'function') throw invalid(`${field}: is not a GPUBuffer`);
  if (buffer.size < bytes) throw invalid(`${field}: a buffer of ${buffer.size} bytes, ${bytes} are needed`);
  if (!(buffer.usage & usage.storage)) {
    throw invalid(`${field}: a buffer of usage ${usageNames(buffer.usage, bufferUsages)}; STORAGE is needed`);
  }
}

/**
 * A buffer with contents, unmapped.
 * @param {GPUDevice} device
 * @param {string} label
 * @param {ArrayBufferView} data
 * @param {GPUBufferUsageFlags} usage
 * @returns {GPUBuffer}
 */
export function bufferOf(device, label, data, usage) {
  const size = Math.max(16, Math.ceil(data.byteLength / 4) * 4);
  const buffer = device.createBuffer({ label, size, usage, mappedAtCreation: true });
  new Uint8Array(buffer.getMappedRange()).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  buffer.unmap();
  return buffer;
}

/**
 * The contents of a buffer of usage MAP_READ, once the device has written them.
 * @param {GPUDevice} device
 * @param {GPUBuffer} buffer
 * @returns {Promise<ArrayBuffer>}
 */
export async function contentsOf(device, buffer) {
  try {
    await buffer.mapAsync(1);
    return buffer.getMappedRange().slice(0);
  } catch (error) {
    await checkDevice(device);
    throw new OnepassError('device', `${buffer.label}: ${/** @type {Error} */ (error).message}`);
  }
}

/**
 * @param {GPUDevice} device
 * @param {GPUComputePipeline} pipeline
 * @param {(GPUBindingResource | null)[]} resources  In the order of bindings; null: no such binding.
 * @returns {GPUBindGroup}
 */
export function groupOf(device, pipeline, resources) {
  /** @type {GPUBindGroupEntry[]} */
  const entries = [];
  resources.forEach((resource, binding) => {
    if (resource) entries.push({ binding, resource });
  });
  return device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
}

// The numbers of GPUBufferUsage and GPUTextureUsage, which are no globals in all environments.
export const usage = { copySrc: 4, copyDst: 8, uniform: 64, storage: 128, mapRead: 1 };
export const textureUsage = { copySrc: 1, copyDst: 2, texture: 4, storage: 8, attachment: 16 };

/**
 * The limits and features that this package can use, as far as the adapter has them, for `requestDevice`.
 * More storage textures mean fewer dispatches; more workgroup memory means longer transforms.
 * @param {GPUAdapter} adapter
 * @returns {GPUDeviceDescriptor}
 */
export function deviceDescriptor(adapter) {
  /** @type {(keyof GPUSupportedLimits)[]} */
  const names = [
    'maxStorageTexturesPerShaderStage',
    'maxComputeWorkgroupStorageSize',
    'maxStorageBufferBindingSize',
    'maxBufferSize',
    'maxTextureDimension2D',
    'maxTextureArrayLayers',
  ];
  /** @type {Record<string, number>} */
  const requiredLimits = {};
  for (const name of names) requiredLimits[name] = /** @type {number} */ (adapter.limits[name]);
  /** @type {GPUFeatureName[]} */
  const features = /** @type {GPUFeatureName[]} */ (['timestamp-query', 'bgra8unorm-storage', 'texture-formats-tier1']);
  return { requiredLimits, requiredFeatures: features.filter((name) => adapter.features.has(name)) };
}
