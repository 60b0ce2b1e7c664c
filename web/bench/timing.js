// timing.js: times of recorded work, by timestamps where the device has them, else by the host's clock.

const rounds = Number(globalThis.process?.env.ONEPASS_ROUNDS ?? 15);
// A software driver takes seconds a repetition, and a GPU needs many to reach its clock rate.
const most = 40;
const longest = 300; // milliseconds of a sample

/** Records `record` `count` times, submits, and resolves to the milliseconds between two timestamps around it. */
async function stampedTime(device, record, count) {
  const querySet = device.createQuerySet({ type: 'timestamp', count: 2 });
  const resolved = device.createBuffer({ size: 16, usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC });
  const readback = device.createBuffer({ size: 16, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.beginComputePass({ timestampWrites: { querySet, beginningOfPassWriteIndex: 0 } }).end();
  for (let i = 0; i < count; ++i) record(encoder);
  encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: 1 } }).end();
  encoder.resolveQuerySet(querySet, 0, 2, resolved, 0);
  encoder.copyBufferToBuffer(resolved, 0, readback, 0, 16);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  const [begin, end] = new BigUint64Array(readback.getMappedRange());
  const milliseconds = Number(end - begin) / 1e6;
  [querySet, resolved, readback].forEach((resource) => resource.destroy());
  return milliseconds;
}

async function clockedTime(device, record, count) {
  const begin = performance.now();
  const encoder = device.createCommandEncoder();
  for (let i = 0; i < count; ++i) record(encoder);
  device.queue.submit([encoder.finish()]);
  await device.queue.onSubmittedWorkDone();
  return performance.now() - begin;
}

/**
 * Times several alternatives in alternating rounds. Resolves to the sorted samples of each: milliseconds a repetition. A
 * sample is the time of many repetitions less that of one, so that submission and waiting cancel.
 * @param {GPUDevice} device
 * @param {((encoder: GPUCommandEncoder) => void)[]} records
 */
export async function times(device, records) {
  const run = device.features.has('timestamp-query') ? stampedTime : clockedTime;
  const samples = records.map(() => []);
  const counts = [];
  for (const record of records) {
    await run(device, record, 1); // compiles
    const once = await run(device, record, 1);
    counts.push(1 + Math.max(1, Math.min(most, Math.floor(longest / once))));
  }
  for (let round = 0; round < rounds; ++round) {
    for (const [i, record] of records.entries()) {
      const many = await run(device, record, counts[i]);
      samples[i].push((many - (await run(device, record, 1))) / (counts[i] - 1));
    }
  }
  return samples.map((of) => of.sort((a, b) => a - b));
}

const at = (sorted, share) => sorted[Math.round(share * (sorted.length - 1))];
export const median = (sorted) => at(sorted, 0.5);
export const timeText = (sorted) =>
  `${median(sorted).toFixed(4)} ms (quartiles ${at(sorted, 0.25).toFixed(4)} to ${at(sorted, 0.75).toFixed(4)})`;
