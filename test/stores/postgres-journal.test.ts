import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileJournal } from '@sluice/postgres'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

const main = fileURLToPath(new URL('programs/postgres-journal-main.ts', import.meta.url))

/** A process that appends to a journal; files of it can have so many blocks. */
function started({ blocks = 'unlimited', count = 'Infinity' }: { blocks?: string; count?: string }) {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
  const node = [process.execPath, '--import', 'tsx', '--conditions=@sluice/source', main, directory, count]
  const child = spawn('sh', ['-c', `ulimit -f ${blocks} && exec "$0" "$@"`, ...node], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // What is compiled is kept in files that may be longer.
    env: { ...process.env, TSX_DISABLE_CACHE: '1' },
  })
  const ended = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
    rmSync(directory, { recursive: true })
  })
  const kept: string[] = []
  const refused: string[] = []
  child.on('message', (told: { kept?: string; refused?: string }) => {
    if (told.kept !== undefined) kept.push(told.kept)
    if (told.refused !== undefined) refused.push(told.refused)
  })
  return { directory, child, ended, kept, refused }
}

/** What the next process finds. */
async function found(directory: string): Promise<Set<string>> {
  const ids = new Set<string>()
  await fileJournal(directory).replay(async ({ progress }) => {
    for (const { id } of progress) ids.add(id)
  })
  return ids
}

describe('a journal of another process', () => {
  it('has what was kept when that was killed in the midst of it', async () => {
    const { directory, child, ended, kept } = started({})
    await vi.waitFor(() => expect(kept.length).toBeGreaterThan(200), { timeout: 40_000, interval: 5 })
    child.kill('SIGKILL')
    await ended
    const ids = await found(directory)
    expect(kept.filter(id => !ids.has(id))).toEqual([])
    expect(readdirSync(directory)).toEqual([])
  })

  it('has what was kept and not what was refused when files could not be written further', async () => {
    const { directory, ended, kept, refused } = started({ blocks: '16', count: '600' })
    expect(await ended).toEqual([0, null])
    const ids = await found(directory)
    expect(refused.length).toBeGreaterThan(2)
    expect(kept.length + refused.length).toBe(600)
    expect(kept.filter(id => !ids.has(id))).toEqual([])
    expect(refused.filter(id => ids.has(id))).toEqual([])
    expect(readdirSync(directory)).toEqual([])
  })
})
