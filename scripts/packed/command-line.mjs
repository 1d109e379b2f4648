// The command line as a newcomer meets it, installed from its tarball into an empty folder: `node command-line.mjs`.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const bin = 'node_modules/.bin/sluice'
const hasSqlite = process.getBuiltinModule?.('node:sqlite') !== undefined
/** From the start of `npx` to an answer. */
const maxStartMs = 2_000
const { version } = JSON.parse(readFileSync('node_modules/sluice/package.json', 'utf8'))
// Vendors' keys and servers of this machine would change what is printed.
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/_(?:API_KEY|BASE_URL)$|^OLLAMA_HOST$|^SLUICE_|^HOST$|^PORT$/.test(name),
  ),
)

assert.equal(run('npx', ['--no-install', 'sluice', '--version']).trim(), version)
console.log(`    sluice ${version}`)

// The first start reads the files from the disk, and a busy machine can be slow once: the best of three counts.
const starts = []
while (starts.length < 3 && !(starts.at(-1) < maxStartMs)) starts.push(await startMs())
console.log(`    npx sluice dev: an answer after ${starts.map(ms => (ms / 1000).toFixed(1)).join(' s, ')} s`)
assert.ok(Math.min(...starts) < maxStartMs, 'it takes too long to start')

const dev = spawn(bin, ['dev', '--port', '0', '--no-discover'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
try {
  const banner = await until(dev, /Ctrl\+C/)
  const [curl] = /^curl .*$/m.exec(banner)
  assert.match(run('sh', ['-c', `${curl} -sS`]), /12 \* 7 = 84/)
  const [page] = /http:\S+\/console\/#key=\S+/.exec(banner)
  const answer = await fetch(page)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type'), /^text\/html/)

  const [baseURL] = /http:\S+\/v1/.exec(banner)
  if (!hasSqlite) assert.match(banner, /Storage +memory .*npm install @libsql\/client/)
  else {
    assert.match(banner, /Storage +\.sluice\/dev\.db .*node:sqlite/)
    assert.doesNotMatch(banner, /ExperimentalWarning/)
    const key = run(bin, ['keys', 'create', '--name', 'packed', '--model', 'o1']).trim()
    assert.equal(await status(baseURL, key, 'o1'), 200)
    assert.equal(await status(baseURL, key, 'o3'), 403)
    assert.match(run(bin, ['keys', 'list']), /packed/)
    assert.match(run(bin, ['usage', '--by', 'key,model']), /o1/)
  }
  console.log('    curl, page, storage')
} finally {
  const ended = once(dev, 'close')
  dev.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
}

for (const [option, file] of [
  ['--json', 'sluice.config.json'],
  [undefined, 'sluice.config.ts'],
]) {
  const said = run(bin, ['init', ...(option === undefined ? [] : [option])])
  assert.ok(existsSync(file))
  if (hasSqlite) run(bin, ['check', '--config', file])
  else assert.match(said, /npm install @libsql\/client/)
  // A folder has one.
  rmSync(file)
}
writeFileSync('broken.json', JSON.stringify({ models: { demo: 'nobody/demo' } }))
assert.throws(() => run(bin, ['check', '--config', 'broken.json']), { status: 1 })
console.log('    init, check')

// Packages that are optional are named by the setting that needs them.
for (const [state, name] of [
  [{ database: 'postgres://user:password@127.0.0.1:1/db' }, 'pg'],
  [{ redis: 'redis://127.0.0.1:1' }, 'ioredis'],
  ...(hasSqlite ? [] : [[{ database: 'file:./sluice.db' }, '@libsql/client']]),
]) {
  const keys = [{ id: 'me', key: 'sk-test' }]
  const config = { providers: { local: {} }, models: { demo: 'local/demo' }, keys, state, responses: false }
  writeFileSync('state.json', JSON.stringify(config))
  for (const command of ['serve', 'check']) {
    const { status, stderr } = spawnSync(bin, [command, '--config', 'state.json'], { env, encoding: 'utf8' })
    assert.equal(status, 1)
    const [setting] = Object.keys(state)
    assert.match(stderr, new RegExp(`^state\\.${setting}.* needs the package ${name}, .*npm install ${name}`))
  }
}
rmSync('state.json')
console.log('    optional packages are named')

for (const name of ['postgres', 'sqlite'])
  assert.match(run(`node_modules/.bin/sluice-${name}`, ['--help']), new RegExp(`^sluice-${name} migrate`))
console.log('    sluice-postgres, sluice-sqlite')

/** Starts it as a newcomer does. Resolves to the milliseconds until a request is answered. */
async function startMs() {
  const start = performance.now()
  const line = ['--no-install', 'sluice', 'dev', '--port', '0', '--no-discover']
  // In a group of its own: npx does not pass signals on everywhere.
  const npx = spawn('npx', line, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  try {
    const banner = await until(npx, /Ctrl\+C/)
    const [url] = /http:\/\/[^\s/]+/.exec(banner)
    assert.equal((await fetch(`${url}/healthz`)).status, 200)
    return performance.now() - start
  } finally {
    const ended = once(npx, 'close')
    process.kill(-npx.pid, 'SIGTERM')
    await ended
  }
}

function run(command, args) {
  return execFileSync(command, args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

async function status(baseURL, key, model) {
  const response = await fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
  })
  await response.text()
  return response.status
}

/** Waits until a process has printed what fits; resolves to all that it printed. */
function until(child, pattern) {
  return new Promise((resolve, reject) => {
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', text => {
        printed += text
        if (pattern.test(printed)) resolve(printed)
      })
    }
    child.on('close', code => reject(new Error(`It ended with ${code}:\n${printed}`)))
  })
}
