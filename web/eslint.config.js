// eslint.config.js: rules that find mistakes; the style is that of the project.
const browser = [
  'window',
  'document',
  'navigator',
  'location',
  'performance',
  'requestAnimationFrame',
  'fetch',
  'URL',
  'Blob',
  'createImageBitmap',
  'MutationObserver',
  'OffscreenCanvas',
  'ResizeObserver',
  'console',
  'setTimeout',
  'TextDecoder',
  'matchMedia',
  'devicePixelRatio',
  'history',
];
const gpu = [
  'GPUAdapter',
  'GPUAdapterInfo',
  'GPUBufferUsage',
  'GPUDevice',
  'GPUMapMode',
  'GPUShaderStage',
  'GPUTextureUsage',
];
const node = ['process', 'console', 'URL', 'performance', 'setTimeout', 'Buffer', 'globalThis'];
const rules = {
  'no-unused-vars': ['error', { args: 'after-used', argsIgnorePattern: '^_' }],
  'no-undef': 'error',
  'prefer-const': 'error',
  'no-var': 'error',
  eqeqeq: 'error',
  'no-shadow': 'error',
  'no-unreachable': 'error',
  'no-dupe-keys': 'error',
  'no-duplicate-imports': 'error',
  'no-self-compare': 'error',
  'no-constant-condition': ['error', { checkLoops: false }],
  'no-redeclare': 'error',
  'no-fallthrough': 'error',
  'no-cond-assign': 'error',
  'no-loss-of-precision': 'error',
  'valid-typeof': 'error',
  'use-isnan': 'error',
  'max-len': ['error', { code: 190 }],
  semi: 'error',
  quotes: ['error', 'single', { avoidEscape: true, allowTemplateLiterals: true }],
};
const globals = (...names) => ({ globals: Object.fromEntries(names.flat().map((name) => [name, 'readonly'])) });

export default [
  { files: ['src/**/*.js'], languageOptions: { ecmaVersion: 2022, ...globals() }, rules },
  { files: ['demo/**/*.js'], languageOptions: { ecmaVersion: 2022, ...globals(browser, gpu, node) }, rules },
  {
    files: ['test/**/*.js', 'bench/**/*.js', 'scripts/**/*.js'],
    languageOptions: { ecmaVersion: 2022, ...globals(browser, gpu, node) },
    rules,
  },
];
