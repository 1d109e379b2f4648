// A plugin of TypeDoc: calls a module what its users import, `@sluice/core/keys`, and not where it lies.
import { basename } from 'node:path'
import { publicPackages } from '../run.mjs'

const names = new Map(
  publicPackages().map(({ folder, manifest }) => [`packages/${basename(folder)}/src`, manifest.name]),
)

/** The name by which a module is imported: `packages/core/src/keys` is `@sluice/core/keys`. */
export function moduleName(path) {
  const source = [...names.keys()].find(folder => path === folder || path.startsWith(`${folder}/`))
  return source === undefined ? path : `${names.get(source)}${path.slice(source.length)}`
}

export function load(app) {
  app.converter.on('resolveBegin', ({ project }) => {
    for (const module of project.children ?? []) module.name = moduleName(module.name)
  })
}
