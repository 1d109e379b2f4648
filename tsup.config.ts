import type { Options } from 'tsup'

/** What every package's build shares: ESM, CommonJS and types for Node 20. */
export const shared = {
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'neutral',
  // tsup sets `baseUrl`, which TypeScript 6 calls deprecated.
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  // Entries share their modules in CommonJS too: a class must not exist twice.
  splitting: true,
  clean: true,
  // Sources are not published, and a map without them shows nothing.
  sourcemap: false,
  treeshake: true,
  silent: true,
} satisfies Options
