import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleProgram } from '../bundle-program.mjs'

/**
 * Bundles the simulation of a fleet (`test/simulation/run-fleet.ts`) with the sources of packages, those of another folder too.
 *
 * @param folder has `packages` and `test`, as this repository does
 * @param outfile the script to write, an ES module
 */
export async function bundleFleet(folder, outfile) {
  const sources = {
    name: 'sources',
    setup: ({ onResolve }) => {
      onResolve({ filter: /^@sluice\// }, ({ path }) => {
        const [, name, ...entry] = path.split('/')
        const at = join(folder, 'packages', name)
        const { exports } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8'))
        return { path: join(at, exports[['.', ...entry].join('/')]['@sluice/source']) }
      })
    },
  }
  await bundleProgram(join(folder, 'test/simulation/run-fleet.ts'), outfile, [sources])
}

/**
 * Options of Node for a simulation: most of its garbage is young, nobody reads the stack of an error, and code that is not
 * optimized yet need not be interpreted.
 */
export const nodeOptions = ['--max-semi-space-size=64', '--stack-trace-limit=0', '--always-sparkplug']
