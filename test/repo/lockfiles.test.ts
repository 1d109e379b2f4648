import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

const root = resolve(import.meta.dirname, '../..')

/** What a compiled package for a system is called, without the system. */
const onLinux = /linux-x64(-gnu|-musl)?$/

it.each(['pnpm-lock.yaml', 'docs/pnpm-lock.yaml'])(
  '%s has every compiled package for macOS and Windows too',
  file => {
    const { packages } = parse(readFileSync(join(root, file), 'utf8')) as { packages: object }
    const known = new Set(Object.keys(packages).map(name => name.slice(0, name.lastIndexOf('@'))))
    const compiled = [...known].filter(name => onLinux.test(name))
    expect(compiled.length).toBeGreaterThan(1)
    const missing = compiled.flatMap(name => {
      const on = (system: string) => [name.replace(onLinux, system), name.replace(onLinux, `${system}-msvc`)]
      const systems = ['darwin-arm64', 'darwin-x64', 'win32-x64']
      return systems
        .filter(system => !on(system).some(other => known.has(other)))
        .map(system => `${name}: ${system}`)
    })
    expect(missing).toEqual([])
  },
)
