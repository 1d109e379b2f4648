import { existsSync, readFileSync, renameSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { build } from 'esbuild'

/**
 * Bundles a program with the sources of packages, so that it starts in a tenth of the time.
 *
 * @param entry the program
 * @param outfile the script to write, an ES module
 * @param plugins of esbuild
 * @param external packages that the program finds where the script is
 */
export async function bundleProgram(entry, outfile, plugins = [], external = []) {
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@sluice/source'],
    plugins,
    external,
    // Packages in CommonJS require modules of Node.
    banner: {
      js: "import { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url);",
    },
    logLevel: 'error',
  })
}

const made = new Map()

/**
 * Returns the script of a program, which is bundled once in this process. It is in the program's package: from there it finds
 * what it does not contain, the package's dependencies.
 *
 * @param {string} entry the program, an absolute path
 * @param {import('esbuild').Plugin[]} plugins of esbuild
 * @returns {Promise<string>}
 */
export function bundledProgram(entry, plugins = []) {
  const key = [entry, ...plugins.map(({ name }) => name)].join(' ')
  if (!made.has(key)) made.set(key, bundleInPackage(entry, plugins))
  return made.get(key)
}

async function bundleInPackage(entry, plugins) {
  const folder = packageOf(dirname(entry))
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const external = Object.keys(dependencies).filter(name => !name.startsWith('@sluice/'))
  const name = [...relative(folder, entry).split(sep), ...plugins.map(({ name }) => name)].join('-')
  const script = join(folder, 'node_modules/.cache/sluice-programs', `${name}.mjs`)
  const written = `${script}.${process.pid}`
  await bundleProgram(entry, written, plugins, external)
  // At once: another process may read the one that it has made.
  renameSync(written, script)
  return script
}

function packageOf(folder) {
  return existsSync(join(folder, 'package.json')) ? folder : packageOf(dirname(folder))
}
