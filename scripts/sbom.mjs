// Writes a software bill of materials for each package that is published: `node scripts/sbom.mjs [folder]`, by default
// dist/sbom. CycloneDX 1.6 as JSON: what the package brings with it, in the versions that were tested, with licenses.
// What is in a bundle is listed, too. Peers are not, as their versions are the user's. Of binaries by platform it names those of this machine.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pnpm, publicPackages, root, seconds } from './run.mjs'
import { billOf, bundledPackages, withBundled } from './sbom-bundled.mjs'

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

/** The page of the console has it in its script. */
const preact = JSON.parse(
  readFileSync(join(root, 'packages/console/node_modules/preact/package.json'), 'utf8'),
)
const named = name => packages.find(manifest => manifest.name === name)
addBundled(named('@sluice/console'), [billOf(preact)])
const inCommandLine = bundledPackages(named('sluice'))
addBundled(
  named('sluice'),
  inCommandLine.map(name => read(named(name))),
)
for (const manifest of packages)
  console.log(summary(manifest, manifest.name === 'sluice' ? [...inCommandLine, 'preact', 'zod'] : []))
console.log(`Wrote ${packages.length} to ${folder} in ${seconds(start)}.`)

function fileOf({ name, version }) {
  return `${name.replace('@', '').replace('/', '-')}-${version}.cdx.json`
}

function read(manifest) {
  return JSON.parse(readFileSync(join(folder, fileOf(manifest)), 'utf8'))
}

function addBundled(manifest, bills) {
  const bill = withBundled(read(manifest), bills)
  writeFileSync(join(folder, fileOf(manifest)), `${JSON.stringify(bill, null, 2)}\n`)
}

/** Throws where the bill is another package's, or lacks something that the package asks for or has in its bundle. */
function summary(manifest, bundled) {
  const { name, version, dependencies = {} } = manifest
  const file = fileOf(manifest)
  const { bomFormat, metadata, components = [] } = read(manifest)
  if (
    bomFormat !== 'CycloneDX' ||
    fullName(metadata.component) !== name ||
    metadata.component.version !== version
  )
    throw new Error(`${file} is no bill of ${name}@${version}`)
  const listed = new Set(components.map(fullName))
  const missing = [...Object.keys(dependencies), ...bundled].filter(dependency => !listed.has(dependency))
  if (missing.length > 0) throw new Error(`${file} lacks ${missing.join(', ')}`)
  return `${file}: ${components.length} components`
}

function fullName({ group, name }) {
  return group === undefined || name.startsWith('@') ? name : `${group}/${name}`
}
