// Publishes every package as a trial: `node scripts/publish-dry-run.mjs FOLDER`, the folder of `packAll`. npm checks the
// manifest and sends nothing. A warning is an error. The registry that npm asks is this process. Of a tarball npm says less
// than of a folder, so each is unpacked.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { run } from './run.mjs'

const folder = resolve(process.argv[2])
const work = mkdtempSync(join(tmpdir(), 'sluice-publish-'))
/** Who asks is logged in, and no version of a package is there yet. */
const registry = createServer((request, response) => {
  const known = request.url === '/-/whoami'
  response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
  response.end(JSON.stringify(known ? { username: 'trial' } : { error: 'not found' }))
})
await once(registry.listen(0, '127.0.0.1'), 'listening')
const address = `//127.0.0.1:${registry.address().port}/`
writeFileSync(join(work, '.npmrc'), `registry=http:${address}\n${address}:_authToken=trial\n`)
try {
  const tarballs = readdirSync(folder).filter(name => name.endsWith('.tgz'))
  if (tarballs.length === 0) throw new Error(`${folder} has no packages`)
  for (const tarball of tarballs) {
    const unpacked = join(work, tarball.replace(/\.tgz$/, ''))
    mkdirSync(unpacked)
    run('tar', ['-xzf', join(folder, tarball), '-C', unpacked, '--strip-components=1'])
    const { code, printed } = await publish(unpacked)
    const warnings = printed.split('\n').filter(line => /^npm (?:warn|error)/i.test(line))
    if (code !== 0 || warnings.length > 0) throw new Error(`${tarball}: ${warnings.join('\n') || printed}`)
  }
  console.log(`      npm would publish ${tarballs.length} packages, without a warning`)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  registry.close()
  rmSync(work, { recursive: true })
}

async function publish(unpacked) {
  const line = ['publish', unpacked, '--dry-run', '--userconfig', join(work, '.npmrc')]
  const child = spawn('npm', line, { cwd: work, shell: process.platform === 'win32' })
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      printed += text
    })
  const [code] = await once(child, 'close')
  return { code, printed }
}
