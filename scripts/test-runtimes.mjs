// Runs the service where it is not at home: `pnpm test:runtimes [--quick] [names...]`, on Bun, Deno, workerd, Hono, Fastify
// and Next.js, or on those that are named; `--quick` leaves out what has to be built for long. Packs every package, installs
// the tarballs with the runtimes into an empty folder, starts the snippets of the docs there, and asks each of them
// what is in scripts/runtimes/cases.mjs. The registry's packages carry the runtimes' programs, so nothing has to be installed
// before; they are not among the workspace's own dependencies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packAll } from './pack.mjs'
import { run, seconds } from './run.mjs'
import { cases } from './runtimes/cases.mjs'
import { gatewayFile, hosts } from './runtimes/hosts.mjs'
import { freePort } from './runtimes/program.mjs'
import { hasFault, printFaults, printTable } from './runtimes/table.mjs'
import { startUpstream } from './runtimes/upstream.mjs'

const names = namesOf(process.argv.slice(2).filter(argument => argument !== '--'))
const work = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-runtimes-'))
try {
  run(process.execPath, ['scripts/build.mjs', '--if-changed', '--no-types'])
  const tarballs = await timed('pack', async () => packAll(join(work, 'tarballs'), { types: false }))
  await timed('install', async () => install(tarballs))
  const results = {}
  for (const name of names) {
    results[name] = await timed(name, () => askHost(hosts[name]))
    printFaults(name, results[name])
  }
  printTable(results)
  process.exitCode = names.some(name => hasFault(results[name])) ? 1 : 0
} catch (error) {
  console.error(`\nFailed: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(work, { recursive: true, force: true })
}

/** The hosts that are asked for. Throws where something else is. */
function namesOf(given) {
  const quick = given.includes('--quick')
  const parts = given.filter(argument => argument !== '--quick')
  const all = Object.keys(hosts)
  const named = part => all.filter(name => name.toLowerCase().includes(part.toLowerCase()))
  for (const part of parts) {
    if (named(part).length === 0)
      throw new Error(`got '${part}', expected --quick or some of ${all.join('; ')}`)
  }
  const wanted = parts.length === 0 ? all : all.filter(name => parts.some(part => named(part).includes(name)))
  const chosen = wanted.filter(name => !(quick && hosts[name].slow))
  if (chosen.length === 0)
    throw new Error(`--quick leaves out ${wanted.join('; ')}, and nothing else was asked for`)
  return chosen
}

async function timed(name, action) {
  const start = performance.now()
  const result = await action()
  console.log(`${name} (${seconds(start)})`)
  return result
}

/** The packages and the hosts, in one folder. No install script is run. */
function install(tarballs) {
  const ours = Object.fromEntries(
    ['@sluice/core', '@sluice/node', '@sluice/providers'].map(name => [name, `file:${tarballs[name]}`]),
  )
  const theirs = Object.assign({}, ...names.map(name => hosts[name].packages))
  const overrides = Object.fromEntries(Object.keys(ours).map(name => [name, `$${name}`]))
  const manifest = { private: true, type: 'module', dependencies: { ...ours, ...theirs }, overrides }
  writeFileSync(join(work, 'package.json'), JSON.stringify(manifest, null, 2))
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  run('npm', ['install', ...quiet], { cwd: work, quiet: true })
  cpSync(gatewayFile, join(work, 'gateway.mjs'))
}

/** What every case came to on one host: `undefined` where it is as it should be, else what is not. */
async function askHost({ start, path = '', without = [] }) {
  const upstream = await startUpstream()
  const port = await freePort()
  const results = {}
  let program
  try {
    program = await start({ folder: work, port, upstream: upstream.baseURL, run: runWaiting })
    const site = { baseURL: `http://127.0.0.1:${port}${path}/v1`, upstream }
    for (const [name, check] of Object.entries(cases)) {
      if (without.includes(name)) continue
      results[name] = await check(site).then(
        () => undefined,
        error => `${error.message}\n${program.printed()}`,
      )
    }
  } catch (error) {
    results['its start'] = error.message
  } finally {
    await program?.stop()
    upstream.close()
  }
  return results
}

/** Runs a command while the upstream goes on, for five minutes at most. Throws, with what it printed, where it fails. */
async function runWaiting(command, args, { cwd, env }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', text => {
      printed += text
    })
  }
  const [code, signal] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code ?? signal}\n${printed}`)
}
