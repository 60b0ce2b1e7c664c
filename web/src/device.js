// device.js: what all techniques share on a device: its limits by name, cached pipelines, allocation with errors.
import { OnepassError, invalid } from './errors.js';

/**
 * @typedef {object} DeviceState
 * @property {string} lost            Why the device was lost; empty while it is not.
 * @property {Map<string, Promise<GPUComputePipeline>>} pipelines  By WGSL text and entry point.
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
 * Throws if `device` is no device, or is lost.
 * @param {GPUDevice} device
 */
export function checkDevice(device) {
  if (!device || typeof device.createComputePipelineAsync !== 'function') {
    throw invalid('device: is not a GPUDevice');
  }
  const { lost } = stateOf(device);
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
 * A compute pipeline with the layout `auto`. Equal texts share one pipeline.
 * @param {GPUDevice} device
 * @param {string} label
 * @param {string} code
 * @param {string} [entryPoint]
 * @returns {Promise<GPUComputePipeline>}
 */
export function makePipeline(device, label, code, entryPoint = 'main') {
  const { pipelines } = stateOf(device);
  const key = `${entryPoint}\n${code}`;
  let pipeline = pipelines.get(key);
  if (!pipeline) {
    // Errors of the text are also those of the pipeline, which reports them.
    device.pushErrorScope('validation');
    const module = device.createShaderModule({ label, code });
    const scope = device.popErrorScope();
    const made = device.createComputePipelineAsync({ label, layout: 'auto', compute: { module, entryPoint } });
    pipeline = Promise.all([made, scope]).then(([result]) => result, async (error) => {
      const cause = await scope.catch(() => null);
      throw new Error(cause?.message || error.message);
    });
    pipeline.catch(() => pipelines.delete(key));
    pipelines.set(key, pipeline);
  }
  return pipeline.catch((error) => {
    checkDevice(device);
    throw new OnepassError('device', `${label}: ${error.message}`);
  });
}

/**
 * Runs `make`, which creates buffers, textures and bind groups. An error of the device becomes a OnepassError, and
 * what was made is destroyed.
 * @template T
 * @param {GPUDevice} device
 * @param {string} what
 * @param {(own: <R extends {destroy(): void}>(resource: R) => R) => T} make
 * @returns {Promise<T>}
 */
export async function allocate(device, what, make) {
  checkDevice(device);
  /** @type {{destroy(): void}[]} */
  const owned = [];
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  let result;
  /** @type {unknown} */
  let thrown;
  try {
    result = make((resource) => {
      owned.push(resource);
      return resource;
    });
  } catch (error) {
    thrown = error;
  }
  const memory = device.popErrorScope();
  const validation = device.popErrorScope();
  const release = () => owned.forEach((resource) => resource.destroy());
  try {
    const [noMemory, notValid] = await Promise.all([memory, validation]);
    if (thrown) throw thrown;
    if (noMemory) throw new OnepassError('out_of_memory', `${what}: ${noMemory.message || 'no memory left'}`);
    if (notValid) throw invalid(`${what}: ${notValid.message}`);
    checkDevice(device);
  } catch (error) {
    release();
    if (!(error instanceof OnepassError)) {
      checkDevice(device);
      if (thrown instanceof RangeError) throw new OnepassError('out_of_memory', `${what}: ${thrown.message}`);
    }
    throw error;
  }
  return /** @type {T} */ (result);
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

// The numbers of GPUBufferUsage, which is no global in all environments.
export const usage = { copySrc: 4, copyDst: 8, uniform: 64, storage: 128, mapRead: 1 };

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
  const features = /** @type {GPUFeatureName[]} */ ([
    'timestamp-query',
    'bgra8unorm-storage',
    'texture-formats-tier1',
  ]);
  return { requiredLimits, requiredFeatures: features.filter((name) => adapter.features.has(name)) };
}
