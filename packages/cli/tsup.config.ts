import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig, type Options } from 'tsup'
import { repositoryUrl } from '../../scripts/repository.mjs'
import { declarationsOf, shared } from '../../tsup.config.ts'
import { withPage } from '../console/tsup.config.ts'

const packages = join(import.meta.dirname, '..')

/** Where the types of each entry of Sluice's own packages are. Without it they would be imports. */
function typesOfEntries(): Record<string, string[]> {
  const entries = readdirSync(packages).flatMap(name => {
    const manifest = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
    return Object.entries<{ '@sluice/source'?: string }>(manifest.exports).map(
      ([entry, { '@sluice/source': source }]) => ({ name, entry: manifest.name + entry.slice(1), source }),
    )
  })
  return Object.fromEntries(
    entries.flatMap(({ name, entry, source }) =>
      source === undefined ? [] : [[entry, [declarationsOf(source, name)]]],
    ),
  )
}

/** What others publish and the bundle contains, by the package that needs it. Its license comes along. */
const bundledPackages = {
  // 6 MB on disk, of which a tenth is used.
  zod: 'core',
  // In the script of the page.
  preact: 'console',
}

function copyLicenses(): void {
  for (const [name, owner] of Object.entries(bundledPackages))
    copyFileSync(
      join(packages, owner, 'node_modules', name, 'LICENSE'),
      join(import.meta.dirname, 'dist', `LICENSE-${name}.txt`),
    )
}

// Sluice's own packages are in the bundle, and read from their sources: they need not be built before. What others publish
// stays a dependency where it can: npm installs a fixed version without a release of ours, and audits see it.
const bundled = {
  ...shared,
  platform: 'node',
  // The three builds run side by side.
  clean: false,
  dts: false,
  noExternal: [/^@sluice\//, /^zod(?:\/|$)/, '#transport', '#page'],
  esbuildPlugins: [withPage],
  // Help links to the documentation there.
  define: { SLUICE_REPOSITORY: JSON.stringify(repositoryUrl()) ?? 'undefined' },
  esbuildOptions: options => {
    options.conditions = ['@sluice/source']
  },
} satisfies Options

export default defineConfig([
  {
    ...bundled,
    format: 'esm',
    entry: {
      index: 'src/index.ts',
      bin: 'src/bin.ts',
      'sluice-postgres': join(packages, 'postgres/src/cli.ts'),
      'sluice-sqlite': join(packages, 'sqlite/src/cli.ts'),
    },
    onSuccess: async () => copyLicenses(),
  },
  { ...bundled, format: 'cjs', entry: ['src/index.ts'] },
  {
    ...bundled,
    entry: ['src/index.ts'],
    dts: {
      only: true,
      entry: { index: declarationsOf('src/index.ts') },
      compilerOptions: { ...shared.dts.compilerOptions, baseUrl: packages, paths: typesOfEntries() },
    },
  },
])
