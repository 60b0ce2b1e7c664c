// binding.js: what bind() of every technique returns, and the recording of its dispatches.
import { invalid } from './errors.js';

/**
 * One dispatch of a binding.
 * @typedef {object} Step
 * @property {GPUComputePipeline} pipeline
 * @property {GPUBindGroup} group
 * @property {[x: number, y: number, z: number]} groups  Workgroups.
 */

/**
 * What bind() returns: a plan tied to textures and buffers, for record() of the object that made it.
 * @typedef {object} Binding
 * @property {object} owner      The object that made it.
 * @property {Step[]} steps      Its dispatches, in order.
 * @property {() => void} destroy  Frees its buffers and textures; record() refuses it afterwards.
 */

/** @type {WeakSet<object>} Objects and bindings whose destroy() was called. */
const destroyed = new WeakSet();

/** Marks an object as destroyed. @param {object} object */
export const markDestroyed = (object) => void destroyed.add(object);

/**
 * Throws if destroy() of an object was called.
 * @param {object} object
 * @param {string} what
 */
export function checkAlive(object, what) {
  if (destroyed.has(object)) throw invalid(`${what}: is destroyed`);
}

/**
 * @param {object} owner
 * @param {Step[]} steps
 * @param {(GPUBuffer | GPUTexture | Binding)[]} resources  That belong to the binding.
 * @returns {Binding}
 */
export function makeBinding(owner, steps, resources) {
  /** @type {Binding} */
  const binding = {
    owner,
    steps,
    destroy() {
      markDestroyed(binding);
      for (const resource of resources) resource.destroy();
    },
  };
  return binding;
}

/**
 * Throws if a binding is not one of `owner`, or if one of both is destroyed.
 * @param {Binding} binding
 * @param {object} owner
 * @param {string} what  The owner in words: 'pyramid'.
 */
export function checkBinding(binding, owner, what) {
  if (binding?.owner !== owner) throw invalid(`binding: is not a binding of this ${what}`);
  checkAlive(owner, what);
  checkAlive(binding, 'binding');
}

/**
 * Records dispatches in one compute pass.
 * @param {GPUCommandEncoder} encoder
 * @param {string} label
 * @param {Step[]} steps
 * @param {GPUComputePassTimestampWrites} [timestampWrites]
 */
export function recordSteps(encoder, label, steps, timestampWrites) {
  if (steps.length === 0 && !timestampWrites) return;
  const pass = encoder.beginComputePass({ label, ...(timestampWrites ? { timestampWrites } : {}) });
  for (const { pipeline, group, groups } of steps) {
    if (groups[0] * groups[1] * groups[2] === 0) continue;
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(...groups);
  }
  pass.end();
}
