// Tests what users install: `pnpm test:packed`. Packs every package, installs the tarballs with npm into empty
// folders, and there loads every public entry by import and by require, streams completions through every mount,
// type-checks a consumer, and walks through the command line. The consumer's files are in scripts/packed.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { installTarballs } from './install-tarballs.mjs'
import { packAll } from './pack.mjs'
import { installedVersion, publicPackages, root, run, seconds } from './run.mjs'

const packages = publicPackages()
/** What a package may bring. npm puts what it could not share into `node_modules`. */
const packed = /^(?:bin|dist|node_modules|README\.md|LICENSE|package\.json|[\w.-]*schema[\w.-]*\.json)$/
const work = mkdtempSync(join(tmpdir(), 'sluice-packed-'))
try {
  run(process.execPath, ['scripts/build.mjs', '--if-changed'])
  const tarballs = step('pack', () => packAll(join(work, 'tarballs')))
  const commonjs = step('install with Express 4, Koa 2', () =>
    install('commonjs', tarballs, { express: installedVersion('express4'), koa: installedVersion('koa2') }),
  )
  const module = step('install with Express 5, Koa 3', () =>
    install('module', tarballs, {
      '@types/express': installedVersion('@types/express'),
      '@types/koa': installedVersion('@types/koa'),
      '@types/node': installedVersion('@types/node'),
      express: installedVersion('express'),
      koa: installedVersion('koa'),
    }),
  )
  const alone = step('install sluice alone', () => installSluice(tarballs))
  step('what was packed', () => {
    for (const { manifest } of packages)
      checkInstalled(join(module, 'node_modules', manifest.name), manifest.name)
  })
  // As Jest and older loaders are: `require` of an ES module fails there.
  const strict = ['--no-experimental-require-module', 'app.cjs']
  step('CommonJS: Node http, Express 4, Koa 2', () => run(process.execPath, strict, { cwd: commonjs }))
  step('ESM: Node http, Express 5, Koa 3', () => run(process.execPath, ['app.mjs'], { cwd: module }))
  step('command line', () => run(process.execPath, ['command-line.mjs'], { cwd: alone }))
  for (const project of ['nodenext', 'bundler', 'web', 'hosts']) {
    step(`types: ${project}`, () => run('tsc', ['--project', `tsconfig.${project}.json`], { cwd: module }))
  }
  await checkBundle(module, {
    name: 'edge',
    conditions: ['workerd'],
    platform: 'browser',
    transport: 'fetch',
  })
  await checkBundle(module, { name: 'Node', conditions: [], platform: 'node', transport: 'undici' })
  console.log('\nThe packed packages work.')
} catch (error) {
  console.error(`\nFailed: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

function step(name, action) {
  const start = performance.now()
  const result = action()
  console.log(`ok  ${name} (${seconds(start)})`)
  return result
}

/** Makes a project of `type` with the tarballs and further packages, and returns its folder. */
function install(type, tarballs, others) {
  const folder = join(work, type)
  cpSync(join(root, 'scripts', 'packed'), folder, { recursive: true })
  writeFileSync(join(folder, 'entries.json'), JSON.stringify(publicEntries(), null, 2))
  installTarballs(folder, { tarballs, dependencies: others, manifest: { name: 'consumer', type } })
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  for (const [path, { resolved }] of Object.entries(lock.packages)) {
    if (path.includes('node_modules/@sluice/') && !resolved?.startsWith('file:')) {
      throw new Error(`${path} was installed from ${resolved}, not from its tarball`)
    }
  }
  return folder
}

/** Makes a folder with nothing but the command line in it, as `npx sluice` would have it. */
function installSluice(tarballs) {
  const folder = join(work, 'alone')
  mkdirSync(folder)
  cpSync(join(root, 'scripts', 'packed', 'command-line.mjs'), join(folder, 'command-line.mjs'))
  const manifest = { name: 'newcomer', private: true, dependencies: { sluice: `file:${tarballs.sluice}` } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
  run('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, quiet: true })
  for (const name of ['@sluice', '@libsql', 'ioredis', 'pg', 'zod']) {
    if (existsSync(join(folder, 'node_modules', name)))
      throw new Error(`sluice has installed ${name}, which is in its bundle or optional`)
  }
  return folder
}

/** What users may import: every key of every package's `exports`. */
function publicEntries() {
  return packages.flatMap(({ manifest }) =>
    Object.keys(manifest.exports)
      .filter(key => !key.endsWith('.json'))
      .map(key => manifest.name + key.slice(1)),
  )
}

/** The package as installed: complete, and without anything that only the workspace knows. */
function checkInstalled(folder, name) {
  for (const file of ['README.md', 'LICENSE', 'package.json']) {
    if (!existsSync(join(folder, file))) throw new Error(`${name} is packed without ${file}`)
  }
  const manifest = readFileSync(join(folder, 'package.json'), 'utf8')
  for (const word of ['@sluice/source', 'workspace:', 'catalog:']) {
    if (manifest.includes(word)) throw new Error(`${name} is packed with \`${word}\` in its package.json`)
  }
  // pnpm leaves out `prepack`, which works in the clone only.
  if (JSON.parse(manifest).scripts?.prepack !== undefined)
    throw new Error(`${name} is packed with \`prepack\``)
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const others = readdirSync(folder).filter(entry => !packed.test(entry))
  if (others.length > 0) throw new Error(`${name} is packed with ${others.join(', ')}`)
  const maps = files.filter(file => file.endsWith('.map'))
  if (maps.length > 0) throw new Error(`${name} is packed with the source maps ${maps.join(', ')}`)
  const tests = files.filter(file => /\.test\.|^src/.test(file))
  if (tests.length > 0) throw new Error(`${name} is packed with ${tests.join(', ')}`)
  // A declaration may name what every user has: the package's own files, its sisters, its peers, and Node where it
  // stands on it.
  const peers = Object.keys(JSON.parse(manifest).peerDependencies ?? {})
  const nodeTypes = ![
    '@sluice/core',
    '@sluice/providers',
    '@sluice/hooks',
    '@sluice/jwt',
    '@sluice/prices',
  ].includes(name)
  for (const file of files.filter(file => /\.d\.c?ts$/.test(file))) {
    // What a comment shows is no import.
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*.*?\*\//gs, '')
    for (const [, specifier] of text.matchAll(
      /(?:\bfrom|\bimport|\bimport\(|\brequire\(|types=)\s*['"]([^'"]+)['"]/g,
    )) {
      const known =
        /^\.{1,2}\//.test(specifier) ||
        (name !== 'sluice' && specifier.startsWith('@sluice/')) ||
        peers.includes(specifier)
      if (!known && !(nodeTypes && specifier.startsWith('node:'))) {
        throw new Error(`${name}/${file} makes its users install ${specifier}`)
      }
    }
  }
}

/** Bundles an application on the packed packages and sees which transport it got. */
async function checkBundle(folder, { name, conditions, platform, transport }) {
  const start = performance.now()
  const result = await build({
    stdin: {
      contents: [
        `export * from '@sluice/core'; export * as providers from '@sluice/providers'`,
        ...publicEntries()
          .filter(entry => entry.startsWith('@sluice/core/'))
          .map((entry, at) => `export * as entry${at} from '${entry}'`),
      ].join('\n'),
      resolveDir: folder,
    },
    absWorkingDir: folder,
    bundle: true,
    conditions,
    format: 'esm',
    logLevel: 'silent',
    metafile: true,
    minify: true,
    platform,
    write: false,
  })
  const inputs = Object.keys(result.metafile.inputs)
  const chosen = inputs.flatMap(input => /@sluice\/core\/dist\/transports\/(\w+)\./.exec(input)?.[1] ?? [])
  if (chosen.join() !== transport)
    throw new Error(`a bundle for ${name} holds the transport ${chosen.join() || 'none'}`)
  const undici = inputs.some(input => input.startsWith('node_modules/undici/'))
  if (undici !== (transport === 'undici'))
    throw new Error(`a bundle for ${name} ${undici ? 'holds' : 'lacks'} undici`)
  const size = Math.round(result.outputFiles[0].contents.byteLength / 1024)
  console.log(`ok  bundle for ${name}: the ${transport} transport, ${size} KiB (${seconds(start)})`)
}
