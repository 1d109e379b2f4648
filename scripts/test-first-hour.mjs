// Walks a newcomer's first hour: `pnpm test:first-hour`. The first command of README.md in a clone of the last commit; then,
// on the packed packages in an empty folder, what the pages print, up to a rolling restart. Prints the time of each step.
// The second part has a network with nothing but loopback, because coding agents run in it: Linux, root and `unshare`.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchAgents, runOffline } from './agents.mjs'
import { installTarballs } from './install-tarballs.mjs'
import { packAll } from './pack.mjs'
import { installedVersion, root, run, seconds } from './run.mjs'

const work = mkdtempSync(join(tmpdir(), 'sluice-first-hour-'))
const began = performance.now()
try {
  const clone = join(work, 'clone')
  await step('git clone', () => run('git', ['clone', '--quiet', '--depth=1', `file://${root}`, clone]))
  await step('README.md: its first command, until the printed curl line is answered', () => start(clone))

  // They take the place of the npm registry: not a step of the walk. `pnpm test:packed` tests their types.
  run(process.execPath, ['scripts/build.mjs', '--if-changed', '--no-types'])
  const tarballs = packAll(join(work, 'tarballs'), { types: false })
  const app = join(work, 'app')
  const hasSqlite = await import('node:sqlite').then(
    () => true,
    () => false,
  )
  const sqliteClient = hasSqlite
    ? {}
    : { '@libsql/client': installedVersion('@libsql/client', join(root, 'packages', 'sqlite')) }
  await step('npm install, in an empty folder', () =>
    installTarballs(app, {
      tarballs,
      packages: [
        'sluice',
        ...['core', 'express', 'node', 'providers', 'sqlite'].map(name => `@sluice/${name}`),
      ],
      dependencies: {
        ...Object.fromEntries(['express', 'openai', 'tsx'].map(name => [name, installedVersion(name)])),
        ...sqliteClient,
      },
      manifest: { name: 'newcomer', type: 'module' },
    }),
  )
  const env = { ...agents(), FIRST_HOUR_APP: app }
  runOffline(['--mode=first-hour', '--project=shared', '--reporter=verbose', '--bail=1'], env)
  console.log(
    `\nThe first hour takes ${seconds(began)} on ${process.platform}, Node ${process.versions.node}.`,
  )
} catch (error) {
  console.error(`\nFailed: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

async function step(name, action) {
  const start = performance.now()
  await action()
  console.log(` ✓ ${name} ${seconds(start)}`)
}

/** The coding agents. Where they cannot be had, the walk says so and leaves them out. */
function agents() {
  try {
    return fetchAgents()
  } catch (error) {
    console.warn(`Coding agents cannot be fetched, and are left out: ${error.message.split('\n')[0]}`)
    return {}
  }
}

/** Runs the first command of README.md as it is printed there, and the curl line that it prints. Then ends it. */
async function start(clone) {
  const [, command] = /^```sh start\n(.*)\n```$/m.exec(readFileSync(join(root, 'README.md'), 'utf8'))
  // A newcomer has a port that is free, and no settings of a gateway.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/_(?:API_KEY|BASE_URL)$|^OLLAMA_HOST$|^SLUICE_|^HOST$|^PORT$|^p?npm_/.test(name),
    ),
  )
  const child = spawn('sh', ['-c', command], {
    cwd: clone,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  try {
    const banner = await new Promise((resolve, reject) => {
      let printed = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', text => {
          printed += text
          if (/Ctrl\+C/.test(printed)) resolve(printed)
        })
      }
      ended.then(([code]) => reject(new Error(`\`${command}\` ended with ${code}:\n${printed}`)), reject)
    })
    const [curl] = /^curl .*$/m.exec(banner)
    const answer = execFileSync('sh', ['-c', `${curl} -sS`], { encoding: 'utf8' })
    if (!answer.includes('12 * 7 = 84')) throw new Error(`The printed curl line was answered by ${answer}`)
  } finally {
    // The group: pnpm has started a process of its own. One that has ended says why itself.
    if (child.exitCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  if (!existsSync(join(clone, 'packages', 'cli', 'dist'))) throw new Error('Nothing was built.')
}
