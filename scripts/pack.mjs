import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { missingDeclaration } from './check-declarations.mjs'
import { notSet, repositoryUrl, writeRepositoryFields } from './repository.mjs'
import { pnpm, publicPackages } from './run.mjs'

/**
 * Packs every built package into `folder`, as `pnpm publish` would: with `publishConfig` applied and
 * `workspace:` and `catalog:` replaced, and the repository that is set for all of them. Returns the tarball of each package, by name.
 *
 * Throws if a package is not built, or without type declarations unless `types` is false.
 */
export function packAll(folder, { types = true } = {}) {
  const packages = publicPackages()
  for (const { folder: own, manifest } of packages) {
    if (!existsSync(join(own, manifest.main)))
      throw new Error(`${manifest.name} is not built: npx -y pnpm build`)
    const issue = types ? missingDeclaration({ folder: own, manifest }) : undefined
    if (issue !== undefined) throw new Error(issue)
  }
  mkdirSync(folder, { recursive: true })
  const url = repositoryUrl()
  if (url === undefined) console.warn(`      ${notSet}`)
  const restore = url === undefined ? () => {} : writeRepositoryFields(url)
  try {
    pnpm(['--recursive', '--filter', './packages/*', 'pack', '--pack-destination', folder], {
      env: types ? {} : { SLUICE_PACK_WITHOUT_TYPES: '1' },
      quiet: true,
    })
  } finally {
    restore()
  }
  return Object.fromEntries(
    packages.map(({ manifest: { name, version } }) => {
      const tarball = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
      if (!existsSync(tarball)) throw new Error(`${name} was packed, but ${tarball} is not there`)
      return [name, tarball]
    }),
  )
}
