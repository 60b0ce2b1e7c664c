// texels.js: the content of measured images.

/** `count` codes of 8 bits without a pattern, the same in every run. */
export const codesOf = (count) => Uint8Array.from({ length: count }, (_, i) => (i * 2654435761) >>> 24);
