// Builds the packages, all where none is named: `node scripts/build.mjs [--if-changed] [--no-types] [PACKAGE...]`.
// Their types are emitted at once, from the sources of all; so they need no order and are built side by side.
// With `--if-changed` nothing is done when the last build was made from the very same files. Types take most of
// the time, and to run an example nobody needs them: `--no-types` leaves them out, and leaves in what nobody calls.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { publicPackages, root, run, seconds } from './run.mjs'

const named = process.argv.slice(2).filter(word => !word.startsWith('--'))
const packages = publicPackages().filter(
  ({ folder }) => named.length === 0 || named.includes(basename(folder)),
)
const types = !process.argv.includes('--no-types')
/** Says what the last build was made from. */
const stamp = join(root, 'node_modules', '.cache', 'sluice-build.json')
const fingerprint = fingerprintOfSources()

if (process.argv.includes('--if-changed') && isBuilt()) {
  console.log('The build is up to date.')
} else {
  const start = performance.now()
  console.log(`Building ${packages.length} packages...`)
  rmSync(stamp, { force: true })
  if (types) run('tsc', ['--project', join('scripts', 'tsconfig.types.json')])
  const waiting = [...packages]
  await Promise.all(Array.from({ length: availableParallelism() }, () => work(waiting)))
  if (process.exitCode === undefined && named.length === 0) {
    mkdirSync(dirname(stamp), { recursive: true })
    writeFileSync(stamp, JSON.stringify({ fingerprint, types }))
    console.log(`Built ${packages.length} packages in ${seconds(start)}.`)
  }
}

async function work(waiting) {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await build(next)
}

/** Builds one package; what it printed is shown only when it fails. */
function build({ folder, manifest }) {
  rmSync(join(folder, 'dist'), { recursive: true, force: true })
  return new Promise(resolve => {
    const tsup = join(root, 'node_modules', 'tsup', 'dist', 'cli-default.js')
    const child = spawn(process.execPath, types ? [tsup] : [tsup, '--no-dts', '--no-treeshake'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let printed = ''
    child.stdout.on('data', text => {
      printed += text
    })
    child.stderr.on('data', text => {
      printed += text
    })
    child.on('close', code => {
      if (code !== 0) {
        console.error(`${printed}\n${manifest.name} does not build: see above.`)
        process.exitCode = 1
      }
      resolve()
    })
  })
}

/** Whether what is wanted lies there already, made from the files as they are now. */
function isBuilt() {
  if (!existsSync(stamp)) return false
  const last = JSON.parse(readFileSync(stamp, 'utf8'))
  if (last.fingerprint !== fingerprint || (types && !last.types)) return false
  return packages.every(({ folder, manifest: { main, module } }) =>
    [main, module].every(file => existsSync(join(folder, file))),
  )
}

/** A digest over the names and the contents of all that a build reads. */
function fingerprintOfSources() {
  const shared = ['pnpm-lock.yaml', 'tsconfig.json', 'tsup.config.ts', 'scripts/tsconfig.types.json'].map(
    name => join(root, name),
  )
  const own = packages.flatMap(({ folder }) => [
    join(folder, 'package.json'),
    // Where there is a page: what it is made of, and by what.
    ...['tsup.config.ts', 'vite.config.ts', 'built-page.ts']
      .map(name => join(folder, name))
      .filter(existsSync),
    ...['src', 'ui'].flatMap(name => filesUnder(join(folder, name))),
  ])
  const digest = createHash('sha256')
  for (const file of [...shared, ...own].sort()) {
    digest
      .update(`${relative(root, file)}\0`)
      .update(readFileSync(file))
      .update('\0')
  }
  return digest.digest('hex')
}

/** The files under a folder, tests left out; none where there is no such folder. */
function filesUnder(folder) {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(entry => join(entry.parentPath, entry.name))
}
