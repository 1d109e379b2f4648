import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const folders = { bun: 'bin', deno: '.', workerd: 'bin' }

/**
 * The program of a runtime. The package that was asked for names one for each platform, of which npm installs its own: no
 * install script is run for it. Throws `Error` where there is none for this platform.
 */
export function binary(folder, name) {
  const modules = join(folder, 'node_modules')
  const manifest = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))
  const file = process.platform === 'win32' ? `${name}.exe` : name
  for (const platform of Object.keys(manifest.optionalDependencies)) {
    const program = join(modules, platform, folders[name], file)
    if (existsSync(program)) return program
  }
  const known = Object.keys(manifest.optionalDependencies).join(', ')
  throw new Error(
    `${name} has no program for ${process.platform} ${process.arch}; installed: ${readdirSync(modules)}; of ${known}`,
  )
}
