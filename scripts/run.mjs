import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The project's folder. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** The pnpm that is used where none runs the script. */
const pinnedPnpm = 'pnpm@12.21.0'

/** The packages that are published: their folder and their package.json. */
export function publicPackages() {
  return readdirSync(join(root, 'packages'))
    .map(name => join(root, 'packages', name))
    .map(folder => ({ folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .filter(({ manifest }) => manifest.private !== true)
}

/** The version of a dependency of the root, or of the package in `folder`, as installed. */
export function installedVersion(name, folder = root) {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version
}

/**
 * Runs a command and waits. Commands of `node_modules/.bin` are found by their bare name. Returns what it
 * printed where `quiet` is set. Throws when it fails, with what it printed.
 */
export function run(command, args, { cwd = root, env = {}, quiet = false } = {}) {
  const bin = join(root, 'node_modules', '.bin')
  const result = spawnSync(command, args, {
    cwd,
    env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, ...env },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    shell: process.platform === 'win32',
    stdio: quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit'],
  })
  if (result.error !== undefined) throw result.error
  if (result.status === 0) return quiet ? result.stdout : ''
  const printed = quiet ? `\n${result.stdout}${result.stderr}` : ''
  throw new Error(
    `\`${[command, ...args].join(' ')}\` ended with ${result.status ?? result.signal}${printed}`,
  )
}

/** Runs pnpm: the one that runs this script, else the pinned one from the registry. */
export function pnpm(args, options) {
  const onPath = (process.env.npm_config_user_agent ?? '').startsWith('pnpm/')
  return onPath ? run('pnpm', args, options) : run('npx', ['-y', pinnedPnpm, ...args], options)
}

/** Seconds since `start` (of `performance.now()`), to be read by people. */
export function seconds(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`
}
