import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** With the versions of Hono that it was released with: with those that npm would choose it cannot stream. */
const manifest = {
  private: true,
  dependencies: { '@portkey-ai/gateway': '1.15.2' },
  overrides: { hono: '4.9.7', '@hono/node-server': '1.13.5' },
}

/** Installs Portkey's gateway where it is not yet, without running anything of it. Returns its folder. */
export function installPortkey(): string {
  const folder = fileURLToPath(
    new URL('../../node_modules/.cache/sluice-bench/portkey-1.15.2', import.meta.url),
  )
  if (existsSync(join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js'))) return folder
  console.log('Portkey gateway is installed beside, by npm.')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return folder
}
