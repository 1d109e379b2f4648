import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** Where `scripts/build.mjs` puts the declarations of all packages' sources, to be bundled. */
const emitted = fileURLToPath(new URL('dist/types/', import.meta.url))

/**
 * The entries of the package that is built, such as `src/index.ts`, with their types. These are bundled from declarations:
 * from sources, tsup would check those of every package again for each (296 s in all, and not 75).
 */
export function entries(...paths: string[]): Pick<Options, 'entry' | 'dts'> {
  const byName = paths.map(path => [basename(path, '.ts'), declarationsOf(path)])
  return { entry: paths, dts: { ...shared.dts, entry: Object.fromEntries(byName) } }
}

/** The file with the emitted declarations of a source file: of the package that is built, where no other is named. */
export function declarationsOf(path: string, folder = basename(process.cwd())): string {
  return join(emitted, folder, path.replace(/\.ts$/, '.d.ts'))
}
