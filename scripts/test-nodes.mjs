// Runs the tests on several versions of Node: `pnpm test:nodes [--all] [versions...] [files...]`, by default those of
// `pnpm test` on all that are supported; `--all` makes it those of `pnpm test:all`. The registry's package `node`
// carries the binaries, so nothing has to be installed before.
import { spawnSync } from 'node:child_process'
import { root, seconds } from './run.mjs'

const given = process.argv.slice(2).filter(argument => argument !== '--')
const files = given.filter(argument => /^(packages|test|examples)\b/.test(argument))
const all = given.includes('--all')
const versions = given.filter(argument => argument !== '--all' && !files.includes(argument))
const results = (versions.length > 0 ? versions : ['20', '22', '24', '26']).map(testOn)
if (results.length > 1) console.log(`\n${results.map(({ line }) => line).join('\n')}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1

function testOn(version) {
  const start = performance.now()
  const command = `node --version && node node_modules/vitest/vitest.mjs run ${all ? '--mode=all' : ''} --reporter=dot ${files.join(' ')}`
  const { status, stdout, stderr } = spawnSync('npx', ['-y', '-p', `node@${version}`, '-c', command], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined },
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exact = /^v(\d+\.\d+\.\d+)$/m.exec(stdout)?.[1]
  const tests = /^ *Tests +(.*)$/m.exec(stdout)?.[1] ?? 'no tests ran'
  const passed = status === 0 && exact !== undefined && matches(exact, version)
  const line = `Node ${(exact ?? version).padEnd(8)} ${passed ? 'passed' : 'FAILED'}  ${tests}  (${seconds(start)})`
  if (!passed) console.error(`${stdout}${stderr}`)
  console.log(line)
  return { passed, line }
}

/** Whether the Node that ran is the one that was asked for. A tag, such as `lts`, is taken as it is. */
function matches(exact, version) {
  return !/^\d/.test(version) || `${exact}.`.startsWith(`${version}.`)
}
