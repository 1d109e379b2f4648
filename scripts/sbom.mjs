// Writes a software bill of materials for each package that is published: `node scripts/sbom.mjs [folder]`, by default
// dist/sbom. CycloneDX 1.6 as JSON: what the package brings with it, in the versions that were tested, with licenses.
// Peers are not in it, as their versions are the user's. Of binaries by platform it names those of this machine.
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pnpm, publicPackages, root, seconds } from './run.mjs'

const start = performance.now()
const folder = resolve(process.argv[2] ?? join(root, 'dist', 'sbom'))
const packages = publicPackages().map(({ manifest }) => manifest)

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
pnpm(
  [
    'sbom',
    ...['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6'],
    ...['--prod', '--exclude-peers', '--split'],
    ...['--filter', './packages/*'],
    ...['--out', join(folder, '%s-%v.cdx.json')],
  ],
  { quiet: true },
)
for (const manifest of packages) console.log(summary(manifest))
console.log(`Wrote ${packages.length} to ${folder} in ${seconds(start)}.`)

/** Throws where the bill is another package's, or lacks something that the package asks for. */
function summary({ name, version, dependencies = {} }) {
  const file = `${name.replace('@', '').replace('/', '-')}-${version}.cdx.json`
  const { bomFormat, metadata, components = [] } = JSON.parse(readFileSync(join(folder, file), 'utf8'))
  if (
    bomFormat !== 'CycloneDX' ||
    fullName(metadata.component) !== name ||
    metadata.component.version !== version
  )
    throw new Error(`${file} is no bill of ${name}@${version}`)
  const listed = new Set(components.map(fullName))
  const missing = Object.keys(dependencies).filter(dependency => !listed.has(dependency))
  if (missing.length > 0) throw new Error(`${file} lacks ${missing.join(', ')}`)
  return `${file}: ${components.length} components`
}

function fullName({ group, name }) {
  return group === undefined || name.startsWith('@') ? name : `${group}/${name}`
}
