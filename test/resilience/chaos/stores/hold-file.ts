import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

// The driver is a dependency of that package, and of no other.
const manifest = createRequire(import.meta.url).resolve('@sluice/sqlite/package.json')
const driver = createRequire(manifest).resolve('@libsql/client/sqlite3')
const program = `
import { createClient } from ${JSON.stringify(pathToFileURL(driver).href)}
const client = createClient({ url: process.argv[1] })
for (;;) {
  try {
    const held = await client.transaction('write')
    process.stdout.write('held')
    process.stdin.once('end', async () => {
      await held.rollback()
      process.exit()
    }).resume()
    break
  } catch {
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}`

const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** Another process writes to an SQLite file, and does not come to an end until what this resolves to is called. */
export async function holdFile(path: string): Promise<() => Promise<void>> {
  const line = ['--input-type=module', '-e', program, pathToFileURL(path).href]
  const child = spawn(process.execPath, line, { stdio: ['pipe', 'pipe', 'inherit'] })
  running.add(child)
  const ended = once(child, 'exit').then(() => running.delete(child))
  await Promise.race([once(child.stdout, 'data'), ended])
  return async () => {
    child.stdin.end()
    await ended
  }
}
