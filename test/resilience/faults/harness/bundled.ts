import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'

/** Programs in a folder of their own, outside of the project. */
export interface Programs {
  /** Bundles a module from the sources, with a copy of its own of all that it imports; gives the file's path. */
  bundle(name: string, source: string, format?: 'esm' | 'cjs'): Promise<string>
  /** The same for a program that stands beside bundles: what it imports by `./` is left as it is. */
  add(name: string, source: string): Promise<string>
  remove(): void
}

/** Makes the folder. */
export function programs(): Programs {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-programs-'))
  const write = async (name: string, contents: string, format: 'esm' | 'cjs', external: string[]) => {
    const outfile = join(folder, name)
    await build({
      stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
      outfile,
      format,
      external,
      bundle: true,
      platform: 'node',
      conditions: ['@sluice/source'],
      logLevel: 'silent',
      target: 'node20',
      // What is CommonJS among the dependencies asks for Node's modules by `require`.
      ...(format === 'esm' && { banner: { js: banner } }),
    })
    return outfile
  }
  return {
    bundle: (name, source, format = 'esm') => write(name, source, format, []),
    add: (name, source) => write(name, source, 'esm', ['./*']),
    remove: () => rmSync(folder, { recursive: true }),
  }
}

const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"
