import type { Options } from 'tsup'

/** What every package's build shares: ESM, CommonJS and types for Node 20. */
export const shared: Options = {
  format: ['esm', 'cjs'],
  target: 'node20',
  platform: 'neutral',
  dts: { compilerOptions: { ignoreDeprecations: '6.0' } },
  clean: true,
  sourcemap: true,
  treeshake: true,
}
