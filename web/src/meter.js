// meter.js: luminance statistics of an image and an exposure that adapts over time.
import { checkAlive, checkBinding, makeBinding, markDestroyed, recordSteps } from './binding.js';
import {
  allocate,
  bufferOf,
  checkDevice,
  contentsOf,
  groupOf,
  makePipeline,
  needLimit,
  needTexture,
  usage,
} from './device.js';
import { checkFields, checkInteger, checkNumber, checkOneOf, checkPair, checkRect, invalid } from './errors.js';
import { readView, sourceFormat } from './formats.js';
import { meterMembers, meterResultBytes } from './meter_layout.js';
import { fineBins, finishWgsl, meterWgsl, scratchWords, tileHeight, tileWidth } from './meter_wgsl.js';
import { exposureRuleWords, luminanceWeightsWords, meterStatisticWords, meteringWords } from './words.js';

/**
 * Options of a meter. Luminances are in the units of the image; EV100 assumes cd/m².
 * @typedef {object} MeterOptions
 * @property {readonly [width: number, height: number]} size  Of the source, in texels.
 * @property {number} [slices]  Each is metered separately. Default 1.
 * @property {GPUTextureFormat} source  sRGB is decoded. One or two channels: luminance is the first.
 * @property {readonly [x: number, y: number, width: number, height: number]} [rect]  Metered texels. Default: all.
 * @property {import('./words.js').LuminanceWeights} [weights]  Of red, green and blue in luminance. Default `rec709`.
 * @property {number} [delta]  Added to luminance before the logarithm, 0 to 1. Default 1e-4.
 * @property {import('./words.js').Metering} [metering]  Weights of pixels. Default `average`.
 * @property {readonly [x: number, y: number]} [centre]  Of `centre_weighted` and `spot`, as a share of the rectangle. Default
 *   [0.5, 0.5].
 * @property {number} [radius]  `centre_weighted`: share of half the width and height, default √2. `spot`: share of half
 *   the shorter side, default 0.1. 0: the default. At most 1000.
 * @property {GPUTextureFormat} [mask]  For `mask`: format of an image of `size` whose first channel is the weight.
 * @property {number} [histogramLow]   log2 of the luminance at which the 256 bins begin, -126 to 128.
 * @property {number} [histogramHigh]  And end. Both equal (default): bins of n/32 stops that cover the image.
 * @property {number[]} [percentiles]  Eight shares of the weight, 0 to 1. Default 0.01, 0.05, 0.25, 0.5, 0.75, 0.9,
 *   0.95, 0.99.
 * @property {import('./words.js').MeterStatistic} [statistic]  What exposure is computed from. Default `log_average`.
 * @property {number} [clipLow]   `percentiles`: luminance counts from this share of the weight. Default 0.1.
 * @property {number} [clipHigh]  To this one. Default 0.9.
 * @property {number} [lowestEv100]   The metered luminance is clamped to these. Default -32.
 * @property {number} [highestEv100]  Default 32.
 * @property {import('./words.js').ExposureRule} [rule]  `key`: the metered luminance is mapped to `key`. `saturation`: the saturation
 *   level of a sensor at EV100 is mapped to 1. Default `key`.
 * @property {number} [key]  1e-6 to 1e6. Default 0.18.
 * @property {number} [calibration]  K of reflected-light meters, 1e-6 to 1e6. Default 12.5.
 * @property {number} [lensAttenuation]  q, 1e-6 to 1e6. Default 0.65.
 * @property {number} [compensation]  Stops, -64 to 64. Default 0.
 * @property {{upStopsPerSecond?: number, downStopsPerSecond?: number, easeStops?: number}} [adaptation]  Speeds, at
 *   least 1e-6, Infinity: immediate; defaults 3 and 1. Within easeStops (0 to 256, default 1.5) of the target the speed
 *   decreases with the distance.
 */

/**
 * The result of one slice. Counts above 2⁵³ lose their last bits.
 * @typedef {object} MeterResult
 * @property {number} valid  1; 0 if there was no finite pixel with weight. Then exposure, ev100 and adaptedLuminance
 *   keep their values (1, 0 and 0 after the first image).
 * @property {number} exposure  Multiply linear colours by it.
 * @property {number} ev100
 * @property {number} logAverage
 * @property {number} adaptedLuminance
 * @property {number} meanLuminance
 * @property {number} minLuminance
 * @property {number} maxLuminance
 * @property {number[]} meanColour  Red, green, blue.
 * @property {number} meteredLuminance
 * @property {number} finiteCount
 * @property {number} nanCount
 * @property {number} infiniteCount
 * @property {number} negativeCount
 * @property {number} zeroCount
 * @property {number} hasHistory
 * @property {number} adaptedLog2
 * @property {number} histogramLow   log2 luminance of the lower edge of the first bin.
 * @property {number} histogramHigh  Of the upper edge of the last one.
 * @property {number} totalWeight  Pixels; in units of 1/255 for `centre_weighted` and `mask`.
 * @property {number} zeroWeight   Of pixels of luminance 0 or below, which are in no bin.
 * @property {number[]} percentiles  Luminances.
 * @property {number[]} histogram    Weights of 256 bins of equal width in log2.
 */

/**
 * @typedef {import('./binding.js').Binding & {results: GPUBuffer, params: GPUBuffer}} MeterBinding
 *   `results`: one struct LuminanceResult (`meterResultWgsl`) of 2192 bytes a slice, usage STORAGE and COPY_SRC. It is
 *   the state of adaptation: a new binding has none.
 */

const luminanceWeights = {
  rec709: [0.2126, 0.7152, 0.0722],
  rec2020: [0.2627, 0.678, 0.0593],
  acescg: [0.2722287, 0.6740818, 0.0536895],
};
const defaultPercentiles = [0.01, 0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

/** @param {MeterOptions} options */
function resolve(options) {
  checkFields(options, [
    'size',
    'slices',
    'source',
    'rect',
    'weights',
    'delta',
    'metering',
    'centre',
    'radius',
    'mask',
    'histogramLow',
    'histogramHigh',
    'percentiles',
    'statistic',
    'clipLow',
    'clipHigh',
    'lowestEv100',
    'highestEv100',
    'rule',
    'key',
    'calibration',
    'lensAttenuation',
    'compensation',
    'adaptation',
  ]);
  const size = checkPair('size', options.size);
  const metering = checkOneOf('metering', options.metering ?? 'average', meteringWords);
  if (metering === 'mask') {
    if (sourceFormat('mask', options.mask).depth) throw invalid(`mask: ${options.mask} is a depth format`);
  } else if (options.mask !== undefined) {
    throw invalid(`mask: ${options.mask}, but metering is ${metering}`);
  }
  const centre = options.centre ?? [0.5, 0.5];
  if (!Array.isArray(centre) || centre.length !== 2) throw invalid(`centre: ${String(centre)} is not [x, y]`);
  centre.forEach((value) => checkNumber('centre', value, 0, 1));
  const percentiles = options.percentiles ?? defaultPercentiles;
  if (!Array.isArray(percentiles) || percentiles.length !== 8) throw invalid('percentiles: eight are needed');
  percentiles.forEach((value) => checkNumber('percentiles', value, 0, 1));
  const histogramLow = checkNumber('histogramLow', options.histogramLow ?? 0, -126, 128);
  const histogramHigh = checkNumber('histogramHigh', options.histogramHigh ?? histogramLow, histogramLow, 128);
  if (histogramHigh !== histogramLow && histogramHigh - histogramLow < 1e-3) {
    throw invalid(`histogramHigh: ${histogramHigh} is not 1e-3 above histogramLow, ${histogramLow}`);
  }
  const clipLow = checkNumber('clipLow', options.clipLow ?? 0.1, 0, 1);
  const lowest = checkNumber('lowestEv100', options.lowestEv100 ?? -32, -128, 128);
  const adaptation = options.adaptation ?? {};
  checkFields(adaptation, ['upStopsPerSecond', 'downStopsPerSecond', 'easeStops'], 'adaptation');
  return {
    size,
    slices: checkInteger('slices', options.slices ?? 1, 1, 65535),
    source: sourceFormat('source', options.source),
    sourceName: options.source,
    rect: options.rect
      ? checkRect('rect', options.rect, size)
      : /** @type {[number, number, number, number]} */ ([0, 0, ...size]),
    weights: checkOneOf('weights', options.weights ?? 'rec709', luminanceWeightsWords),
    delta: checkNumber('delta', options.delta ?? 1e-4, 0, 1),
    metering,
    centre,
    radius: checkNumber('radius', options.radius ?? 0, 0, 1000),
    mask: options.mask,
    histogramLow,
    histogramHigh,
    percentiles,
    statistic: checkOneOf('statistic', options.statistic ?? 'log_average', meterStatisticWords),
    clipLow,
    clipHigh: checkNumber('clipHigh', options.clipHigh ?? 0.9, clipLow + 1e-6, 1),
    lowestEv100: lowest,
    highestEv100: checkNumber('highestEv100', options.highestEv100 ?? 32, lowest, 128),
    rule: checkOneOf('rule', options.rule ?? 'key', exposureRuleWords),
    key: checkNumber('key', options.key ?? 0.18, 1e-6, 1e6),
    calibration: checkNumber('calibration', options.calibration ?? 12.5, 1e-6, 1e6),
    lensAttenuation: checkNumber('lensAttenuation', options.lensAttenuation ?? 0.65, 1e-6, 1e6),
    compensation: checkNumber('compensation', options.compensation ?? 0, -64, 64),
    up: checkNumber('adaptation.upStopsPerSecond', adaptation.upStopsPerSecond ?? 3, 1e-6, Infinity),
    down: checkNumber('adaptation.downStopsPerSecond', adaptation.downStopsPerSecond ?? 1, 1e-6, Infinity),
    ease: checkNumber('adaptation.easeStops', adaptation.easeStops ?? 1.5, 0, 256),
  };
}

/** @typedef {ReturnType<typeof resolve>} Resolved */

const secondsAt = 19; // word of Params
const mostGroups = 1024;

/** The uniform buffer of both kernels. @param {Resolved} o @param {number} groups */
function paramsOf(o, groups) {
  const f = Math.fround;
  const [x, y, width, height] = o.rect;
  const spot = o.metering === 'spot';
  const radius = f(o.radius > 0 ? o.radius : spot ? 0.1 : 1.41421356);
  const grey = o.source.channels < 3;
  const span = f(f(o.histogramHigh) - f(o.histogramLow));
  const ev = Math.log2(100 / f(o.calibration));
  const offset = o.rule === 'key' ? Math.log2(f(o.key)) : Math.log2((100 * f(o.lensAttenuation)) / 78) - ev;
  const data = new ArrayBuffer(144);
  const u = new Uint32Array(data);
  const v = new Float32Array(data);
  u.set([x, y, width, height]);
  v.set(grey ? [1, 0, 0] : luminanceWeights[o.weights], 4);
  v[7] = o.delta;
  v.set(
    [
      f(f(f(o.centre[0]) * width) - 0.5),
      f(f(f(o.centre[1]) * height) - 0.5),
      2 / f(radius * (spot ? Math.min(width, height) : width)),
      2 / f(radius * (spot ? Math.min(width, height) : height)),
    ],
    8,
  );
  v.set(span === 0 ? [-32, 32] : [o.histogramLow, 256 / span], 12);
  u.set([Math.ceil(width / tileWidth), groups], 14);
  v.set([Math.min(o.up, 1e30), Math.min(o.down, 1e30), o.ease, -1], 16);
  v.set([ev, offset + o.compensation, o.clipLow, o.clipHigh, o.lowestEv100 - ev, o.highestEv100 - ev], 20);
  v.set(o.percentiles, 28);
  return new Uint8Array(data);
}

/**
 * Meters images: statistics of luminance, histogram, percentiles, EV100 and exposure, which stay on the GPU.
 *
 *     const meter = await Meter.create(device, {size, source: 'rgba16float'});
 *     const binding = await meter.bind({source: scene});
 *     meter.setFrame(binding, {seconds: 1 / 60});   // every frame but the first
 *     meter.record(encoder, binding);
 *
 * Two dispatches; reads the rectangle once. Relative error of sums, means, averages, minimum and maximum: 1e-6. The
 * same bits on every run of one device.
 */
export class Meter {
  /** @type {GPUDevice} */ #device;
  /** @type {Resolved} */ #options;
  /** @type {GPUComputePipeline[]} */ #pipelines;
  /** @type {number} */ #groups;

  /**
   * @param {GPUDevice} device
   * @param {Resolved} options
   * @param {GPUComputePipeline[]} pipelines
   * @private
   */
  constructor(device, options, pipelines) {
    this.#device = device;
    this.#options = options;
    this.#pipelines = pipelines;
    const [, , width, height] = options.rect;
    this.#groups = Math.min(mostGroups, Math.ceil(width / tileWidth) * Math.ceil(height / tileHeight));
    /** @type {{dispatches: number, bytesRead: number, bytesWritten: number}} */
    this.plan = {
      dispatches: 2,
      bytesRead:
        width *
        height *
        options.slices *
        (options.source.bytes + (options.mask ? sourceFormat('mask', options.mask).bytes : 0)),
      bytesWritten: options.slices * meterResultBytes,
    };
  }

  /**
   * Validates the options against the device and compiles the kernels.
   * @param {GPUDevice} device
   * @param {MeterOptions} options
   * @returns {Promise<Meter>}
   * @throws {OnepassError} `invalid_argument`, `unsupported`, `device_lost`, `device`
   */
  static async create(device, options) {
    const o = resolve(options);
    await checkDevice(device);
    needTexture(device, o.size, o.slices);
    const bins = o.histogramLow === o.histogramHigh ? fineBins : 256;
    needLimit(device, 'maxStorageBufferBindingSize', 4 * scratchWords(bins) * o.slices, 'sums and bins');
    /** @type {import('./meter_wgsl.js').MeterShape} */
    const shape = {
      bins,
      metering: o.metering,
      statistic: /** @type {0 | 1 | 2} */ (meterStatisticWords.indexOf(o.statistic)),
      grey: o.source.channels < 3,
      depth: o.source.depth,
    };
    const pipelines = await Promise.all([
      makePipeline(device, 'onepass meter', meterWgsl({ ...shape, statistic: 0 })),
      makePipeline(device, 'onepass meter, finish', finishWgsl(shape)),
    ]);
    return new Meter(device, o, pipelines);
  }

  /**
   * Ties the plan to textures and allocates sums, bins and results.
   * @param {{source: GPUTexture, mask?: GPUTexture}} textures
   * @returns {Promise<MeterBinding>}
   * @throws {OnepassError} `invalid_argument` naming the texture, `out_of_memory`, `device_lost`
   */
  async bind(textures) {
    checkAlive(this, 'meter');
    checkFields(textures, ['source', 'mask']);
    const o = this.#options;
    const bins = o.histogramLow === o.histogramHigh ? fineBins : 256;
    return allocate(this.#device, 'Meter.bind', (own, view) => {
      const read = readView(view, 'source', textures.source, o.sourceName, o.size, o.slices);
      const mask = o.mask ? readView(view, 'mask', /** @type {GPUTexture} */ (textures.mask), o.mask, o.size, 1) : null;
      const params = own(
        bufferOf(this.#device, 'onepass meter', paramsOf(o, this.#groups), usage.uniform | usage.copyDst),
      );
      const scratch = own(
        this.#device.createBuffer({
          label: 'onepass sums and bins',
          size: 4 * scratchWords(bins) * o.slices,
          usage: usage.storage,
        }),
      );
      const results = own(
        this.#device.createBuffer({
          label: 'onepass meter results',
          size: meterResultBytes * o.slices,
          usage: usage.storage | usage.copySrc,
        }),
      );
      const [meter, finish] = this.#pipelines;
      const binding = makeBinding(
        this,
        [
          {
            pipeline: meter,
            group: groupOf(this.#device, meter, [{ buffer: params }, read, { buffer: scratch }, mask]),
            groups: [this.#groups, 1, o.slices],
          },
          {
            pipeline: finish,
            group: groupOf(this.#device, finish, [{ buffer: params }, { buffer: scratch }, { buffer: results }]),
            groups: [1, 1, o.slices],
          },
        ],
        [params, scratch, results],
      );
      return Object.assign(binding, { params, results });
    });
  }

  /**
   * Sets the time of the next image, for adaptation: a write on the device's queue, which command buffers submitted
   * later see. Without it every image is a cut.
   * @param {MeterBinding} binding
   * @param {{seconds?: number, cut?: boolean}} frame  `seconds` since the previous image, 0 to 1e9. `cut`: ignores the
   *   previous images.
   * @throws {OnepassError} `invalid_argument`
   */
  setFrame(binding, frame) {
    checkBinding(binding, this, 'meter');
    checkFields(frame, ['seconds', 'cut'], 'frame');
    const seconds = frame.cut ? -1 : checkNumber('frame.seconds', frame.seconds ?? 0, 0, 1e9);
    this.#device.queue.writeBuffer(binding.params, 4 * secondsAt, new Float32Array([seconds]));
  }

  /**
   * Records two dispatches. Allocates and submits nothing.
   * @param {GPUCommandEncoder} encoder
   * @param {MeterBinding} binding  From bind().
   * @param {GPUComputePassTimestampWrites} [timestampWrites]
   * @throws {OnepassError} `invalid_argument` if the binding belongs to another object or is destroyed
   */
  record(encoder, binding, timestampWrites) {
    checkBinding(binding, this, 'meter');
    recordSteps(encoder, 'onepass meter', binding.steps, timestampWrites);
  }

  /**
   * Copies the results to the host: submits a copy and waits for it.
   * @param {MeterBinding} binding
   * @returns {Promise<MeterResult[]>}  One a slice.
   * @throws {OnepassError} `invalid_argument`, `out_of_memory`, `device_lost`
   */
  async read(binding) {
    checkBinding(binding, this, 'meter');
    const { size } = binding.results;
    const copy = await allocate(this.#device, 'Meter.read', (own) =>
      own(this.#device.createBuffer({ label: 'onepass meter results', size, usage: usage.copyDst | usage.mapRead })),
    );
    try {
      const encoder = this.#device.createCommandEncoder();
      encoder.copyBufferToBuffer(binding.results, 0, copy, 0, size);
      this.#device.queue.submit([encoder.finish()]);
      return parseMeterResults(await contentsOf(this.#device, copy));
    } finally {
      copy.destroy();
    }
  }

  /** Ends the use of the meter: bind(), setFrame(), record() and read() refuse it. Its bindings have their own destroy(). */
  destroy() {
    markDestroyed(this);
  }
}

/**
 * The results in bytes copied from `MeterBinding.results`.
 * @param {ArrayBuffer} bytes
 * @returns {MeterResult[]}
 * @throws {OnepassError} `invalid_argument`
 */
export function parseMeterResults(bytes) {
  if (bytes.byteLength % meterResultBytes !== 0) {
    throw invalid(`bytes: ${bytes.byteLength} is not a multiple of ${meterResultBytes}`);
  }
  const u = new Uint32Array(bytes);
  const f = new Float32Array(bytes);
  return Array.from({ length: bytes.byteLength / meterResultBytes }, (_, slice) => {
    const base = (slice * meterResultBytes) / 4;
    /** @type {Record<string, number | number[]>} */
    const result = {};
    for (const [name, kind, word, count] of meterMembers) {
      const values = Array.from({ length: count }, (_unused, i) => {
        if (kind === 'u64') return u[base + word + 2 * i] + u[base + word + 2 * i + 1] * 2 ** 32;
        return kind === 'u32' ? u[base + word + i] : f[base + word + i];
      });
      result[name] = count > 1 ? values : values[0];
    }
    return /** @type {MeterResult} */ (/** @type {unknown} */ (result));
  });
}
