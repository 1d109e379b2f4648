// The command line as a newcomer meets it, installed from its tarball into an empty folder: `node command-line.mjs`.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const bin = 'node_modules/.bin/sluice'
const { version } = JSON.parse(readFileSync('node_modules/sluice/package.json', 'utf8'))
// Vendors' keys and servers of this machine would change what is printed.
const env = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/_(?:API_KEY|BASE_URL)$|^OLLAMA_HOST$|^SLUICE_|^HOST$|^PORT$/.test(name),
  ),
)

assert.equal(run('npx', ['--no-install', 'sluice', '--version']).trim(), version)
console.log(`    sluice ${version}`)

const start = performance.now()
const dev = spawn(bin, ['dev', '--port', '0', '--no-discover'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
try {
  const banner = await until(dev, /Ctrl\+C/)
  console.log(`    sluice dev: ${((performance.now() - start) / 1000).toFixed(1)} s to its banner`)
  const [curl] = /^curl .*$/m.exec(banner)
  assert.match(run('sh', ['-c', `${curl} -sS`]), /12 \* 7 = 84/)
  const [page] = /http:\S+\/console\/#key=\S+/.exec(banner)
  const answer = await fetch(page)
  assert.equal(answer.status, 200)
  assert.match(answer.headers.get('content-type'), /^text\/html/)

  const key = run(bin, ['keys', 'create', '--name', 'packed', '--model', 'o1']).trim()
  const [baseURL] = /http:\S+\/v1/.exec(banner)
  assert.equal(await status(baseURL, key, 'o1'), 200)
  assert.equal(await status(baseURL, key, 'o3'), 403)
  assert.match(run(bin, ['keys', 'list']), /packed/)
  console.log('    curl, page, keys create, 403')
} finally {
  const ended = once(dev, 'close')
  dev.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
}
assert.match(run(bin, ['usage', '--by', 'key,model']), /o1/)

for (const [option, file] of [
  ['--json', 'sluice.config.json'],
  [undefined, 'sluice.config.ts'],
]) {
  run(bin, ['init', ...(option === undefined ? [] : [option])])
  assert.ok(existsSync(file))
  run(bin, ['check', '--config', file])
  // A folder has one.
  rmSync(file)
}
writeFileSync('broken.json', JSON.stringify({ models: { demo: 'nobody/demo' } }))
assert.throws(() => run(bin, ['check', '--config', 'broken.json']), { status: 1 })
console.log('    usage, init, check')

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
