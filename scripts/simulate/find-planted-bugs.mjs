// Plants each bug of test/simulation/planted in a copy of the sources, and simulates fleets of growing size until an invariant
// finds it, with at most 1,000,000 requests. Prints a line for each bug, and exits with 1 if one is not found.
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root, run, seconds } from '../run.mjs'
import { bundleFleet, nodeOptions } from './bundle-fleet.mjs'

/** Requests and gateways of each simulation. */
const sizes = [
  [10_000, 10],
  [100_000, 20],
  [1_000_000, 50],
]
const planted = join(root, 'test/simulation/planted')

for (const name of readdirSync(planted).filter(each => each.endsWith('.patch'))) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-planted-'))
  try {
    for (const each of ['core', 'providers', 'testing']) copyPackage(each, folder)
    cpSync(join(root, 'test/simulation'), join(folder, 'test/simulation'), { recursive: true })
    run('git', ['apply', join(planted, name)], { cwd: folder })
    const script = join(folder, 'fleet.mjs')
    await bundleFleet(folder, script)
    if (!find(basename(name, '.patch'), script)) process.exitCode = 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function copyPackage(name, folder) {
  const [from, to] = [join(root, 'packages', name), join(folder, 'packages', name)]
  for (const each of ['src', 'package.json']) cpSync(join(from, each), join(to, each), { recursive: true })
  symlinkSync(join(from, 'node_modules'), join(to, 'node_modules'))
}

/** Prints whether a bug was found, and after how many requests. */
function find(name, script) {
  const began = performance.now()
  for (const size of sizes) {
    const [violation] = violationsOf(script, size)
    if (violation === undefined) continue
    const { invariant, message, requests } = violation
    console.log(
      `${name}: found after ${requests} of ${size[0]} requests by '${invariant}', in ${seconds(began)}: ${message}`,
    )
    return true
  }
  console.log(`${name}: not found, in ${seconds(began)}`)
  return false
}

/** Returns what does not hold, the earliest first. */
function violationsOf(script, size) {
  let printed = ''
  try {
    printed = run(process.execPath, [...nodeOptions, script, ...size.map(String)], { quiet: true })
  } catch (error) {
    // It ends with 1 if it finds anything.
    printed = error.message
  }
  const json = printed.slice(printed.indexOf('\n{') + 1, printed.lastIndexOf('}') + 1)
  return JSON.parse(json).violations.sort((one, other) => one.requests - other.requests)
}
