import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.mjs'

/**
 * Installs `packages` from their tarballs, and further `dependencies`, into `folder` with npm. Between each other too, the
 * packages are the tarballs, and not what a registry may hold. `manifest` has other members of the package.json.
 */
export function installTarballs(
  folder,
  { tarballs, packages = Object.keys(tarballs), dependencies = {}, manifest },
) {
  mkdirSync(folder, { recursive: true })
  const files = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:${file}`]))
  const ours = Object.fromEntries(packages.map(name => [name, files[name]]))
  const overrides = Object.fromEntries(
    Object.entries(files).map(([name, file]) => [name, name in ours ? `$${name}` : file]),
  )
  const content = { ...manifest, private: true, dependencies: { ...ours, ...dependencies }, overrides }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content, null, 2))
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, quiet: true })
}
