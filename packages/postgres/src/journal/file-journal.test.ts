import { spawnSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Journal, LedgerBatch } from '@sluice/core/store'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { fileJournal } from './file-journal.ts'
import { parseSegmentName, segmentFileName } from './segment-name.ts'

/** The id of a process that has ended. */
const deadPid = spawnSync(process.execPath, ['-e', '']).pid

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A batch with a name. */
function batch(id: string): LedgerBatch {
  return { entries: [], closings: [], progress: [{ id, charge: undefined }] }
}

function idOf({ progress }: LedgerBatch): string {
  return progress[0]?.id ?? ''
}

/** Replays all of it; gives the names in their order. */
async function replayed(journal: Journal): Promise<string[]> {
  const ids: string[] = []
  await journal.replay(async each => void ids.push(idOf(each)))
  return ids
}

/** As if the processes that write to a folder had died. */
function dead(path: string): void {
  for (const file of readdirSync(path)) {
    const name = parseSegmentName(file)
    if (name !== undefined) {
      renameSync(join(path, file), join(path, segmentFileName({ ...name, pid: deadPid })))
    }
  }
}

function segments(path: string): string[] {
  return readdirSync(path).filter(file => parseSegmentName(file) !== undefined)
}

describe('fileJournal', () => {
  it('hands over what was kept, in its order, and forgets it', async () => {
    const path = folder()
    const journal = fileJournal(path)
    expect(journal.empty).toBe(true)
    const ids = Array.from({ length: 100 }, (_, index) => `${index}`)
    for (const id of ids) await journal.append(batch(id))
    expect(journal.empty).toBe(false)
    expect(await replayed(journal)).toEqual(ids)
    expect(journal.empty).toBe(true)
    expect(readdirSync(path)).toEqual([])
    expect(await replayed(journal)).toEqual([])
  })

  it('gives back every value of a batch', async () => {
    const journal = fileJournal(folder())
    const estimate = { promptTokens: 1, completionTokens: 0, cachedTokens: 0, reasoningTokens: 0, cost: null }
    const entry = {
      id: 'a',
      requestId: 'line\nbreak \u2028 \ud800 "quoted"',
      operation: 'generate' as const,
      dialect: 'chat',
      principal: 'ann',
      tags: { ['__proto__']: 'x', team: '\u0000é😀' },
      model: 'm',
      stream: true,
      openedAt: 1_234.5,
      estimate,
    }
    const closing = {
      entry,
      closedAt: 5,
      outcome: 'completed' as const,
      status: 200,
      provider: undefined,
      upstreamModel: undefined,
      responseModel: undefined,
      attempts: 0,
      charge: undefined,
      estimated: false,
      firstByteMs: undefined,
      totalMs: 2,
    }
    const given: LedgerBatch = {
      entries: [entry],
      closings: [closing],
      progress: [{ id: 'b', charge: estimate }],
    }
    await journal.append(given)
    const found: LedgerBatch[] = []
    await journal.replay(async each => void found.push(each))
    expect(found).toEqual([given])
    expect(Object.keys(found[0]?.entries[0]?.tags ?? {})).toContain('__proto__')
  })

  it('keeps what comes together in few writes', async () => {
    const journal = fileJournal(folder())
    const file = await open(process.execPath)
    const synced = vi.spyOn(Object.getPrototypeOf(file), 'datasync')
    onTestFinished(() => synced.mockRestore())
    await file.close()
    await Promise.all(Array.from({ length: 200 }, (_, index) => journal.append(batch(`${index}`))))
    expect(synced.mock.calls.length).toBeLessThanOrEqual(3)
    expect(await replayed(journal)).toHaveLength(200)
  })

  it('keeps files for its owner alone', async () => {
    const path = join(folder(), 'made', 'by it')
    const journal = fileJournal(path)
    await journal.append(batch('a'))
    const [file = ''] = segments(path)
    expect(statSync(path).mode & 0o777).toBe(0o700)
    expect(statSync(join(path, file)).mode & 0o777).toBe(0o600)
  })

  it('keeps what could not be written, and goes on there', async () => {
    const path = folder()
    const journal = fileJournal(path)
    for (const id of ['a', 'b', 'c', 'd']) await journal.append(batch(id))
    const seen: string[] = []
    const gone = new Error('The database is gone.')
    const writing = journal.replay(async each => {
      if (idOf(each) === 'c') throw gone
      seen.push(idOf(each))
    })
    await expect(writing).rejects.toBe(gone)
    expect(journal.empty).toBe(false)
    await journal.append(batch('e'))
    expect(await replayed(journal)).toEqual(['c', 'd', 'e'])
    expect(seen).toEqual(['a', 'b'])
  })

  it('rejects with what the database said also where that looks like a missing file', async () => {
    const journal = fileJournal(folder())
    await journal.append(batch('a'))
    const gone = Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' })
    await expect(journal.replay(() => Promise.reject(gone))).rejects.toBe(gone)
    expect(await replayed(journal)).toEqual(['a'])
  })

  it('hands over what comes while it hands over', async () => {
    const journal = fileJournal(folder())
    await journal.append(batch('a'))
    const ids: string[] = []
    await journal.replay(async each => {
      ids.push(idOf(each))
      if (ids.length < 5) await journal.append(batch(`${idOf(each)}+`))
    })
    expect(ids).toEqual(['a', 'a+', 'a++', 'a+++', 'a++++'])
    expect(journal.empty).toBe(true)
  })

  it('hands each batch to one of two replays', async () => {
    const journal = fileJournal(folder())
    for (const id of ['a', 'b', 'c']) await journal.append(batch(id))
    const found = await Promise.all([replayed(journal), replayed(journal)])
    expect(found).toEqual([['a', 'b', 'c'], []])
  })

  it('rejects when it is full, and takes more when it was emptied', async () => {
    const path = folder()
    const journal = fileJournal(path, { maxBytes: 2_000 })
    const ids: string[] = []
    const full = async () => {
      for (;;) {
        const id = `${ids.length}`
        await journal.append(batch(id))
        ids.push(id)
      }
    }
    await expect(full()).rejects.toThrow(/^The journal is full: 19\d\d of 2000 bytes/)
    expect(ids.length).toBeGreaterThan(20)
    expect(await replayed(journal)).toEqual(ids)
    await journal.append(batch('again'))
    expect(await replayed(journal)).toEqual(['again'])
  })

  it('frees room while it is emptied', async () => {
    const path = folder()
    const journal = fileJournal(path, { maxBytes: 8_000 })
    for (let i = 0; i < 120; i++) await journal.append(batch(`${i}`))
    const before = segments(path).length
    expect(before).toBeGreaterThan(1)
    let handed = 0
    const writing = journal.replay(async () => {
      if (++handed === 100) throw new Error('gone')
    })
    await expect(writing).rejects.toThrow('gone')
    expect(segments(path).length).toBeLessThan(before)
  })

  it('counts what others have left as its own', async () => {
    const path = folder()
    await fileJournal(path).append(batch('x'.repeat(900)))
    dead(path)
    const journal = fileJournal(path, { maxBytes: 1_000 })
    await expect(journal.append(batch('a'))).rejects.toThrow('full')
    await replayed(journal)
    await journal.append(batch('a'))
  })

  it.each([
    ['', TypeError, 'expected the path of a directory'],
    [undefined, TypeError, 'expected the path of a directory'],
    [join(import.meta.filename, 'below'), Error, 'cannot be created or written'],
  ])('refuses %j as a directory', (directory, kind, words) => {
    const make = () => fileJournal(directory as string)
    expect(make).toThrow(kind)
    expect(make).toThrow(words)
  })

  it.each([0, -1, 1.5, Number.NaN, '1' as unknown as number])('refuses %s for maxBytes', maxBytes => {
    expect(() => fileJournal(folder(), { maxBytes })).toThrow(TypeError)
  })
})

describe('fileJournal, after a crash', () => {
  it('hands over what the dead left, oldest first, before its own', async () => {
    const path = folder()
    // Of two journals, what is older is known to the millisecond.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 2 })
    await fileJournal(path).append(batch('first'))
    vi.setSystemTime(Date.now() + 1)
    await fileJournal(path).append(batch('second'))
    vi.useRealTimers()
    const journal = fileJournal(path)
    expect(journal.empty).toBe(true)
    await journal.append(batch('own'))
    dead(path)
    // Its own too: it finds out when it writes the next one.
    await journal.append(batch('again'))
    const next = fileJournal(path)
    expect(next.empty).toBe(false)
    const ids = await replayed(next)
    expect(ids.slice(0, 2)).toEqual(['first', 'second'])
    expect(new Set([...ids, ...(await replayed(journal))])).toEqual(
      new Set(['first', 'second', 'own', 'again']),
    )
  })

  it('leaves what is of a living process', async () => {
    const path = folder()
    const other = fileJournal(path)
    await other.append(batch('a'))
    const journal = fileJournal(path)
    expect(journal.empty).toBe(true)
    expect(await replayed(journal)).toEqual([])
    expect(await replayed(other)).toEqual(['a'])
  })

  it.each([
    [
      'of a process before it with the same id',
      (name: object) => ({ ...name, journal: crypto.randomUUID() }),
    ],
    ['of another machine', (name: object) => ({ ...name, host: '00000000' })],
  ])('takes over what is %s', async (_, changed) => {
    const path = folder()
    await fileJournal(path).append(batch('a'))
    for (const file of segments(path)) {
      const name = parseSegmentName(file)
      if (name !== undefined)
        renameSync(join(path, file), join(path, segmentFileName({ ...name, ...changed(name) })))
    }
    const journal = fileJournal(path)
    expect(journal.empty).toBe(false)
    expect(await replayed(journal)).toEqual(['a'])
  })

  it('reads over a last line that was torn', async () => {
    const path = folder()
    const before = fileJournal(path)
    await before.append(batch('a'))
    const [file = ''] = segments(path)
    appendFileSync(join(path, file), '{"entries":[],"closings":[],"prog')
    dead(path)
    const journal = fileJournal(path)
    expect(await replayed(journal)).toEqual(['a'])
    expect(readdirSync(path)).toEqual([])
  })

  it.each([
    ['torn', '{"entries":[],"clos'],
    ['zeros', '\0\0\0\0\0\0'],
    ['something else', '{"entries":1}'],
    ['null', 'null'],
    ['an entry that is none', '{"entries":[null],"closings":[],"progress":[]}'],
    ['an entry without its texts', '{"entries":[{"id":"x"}],"closings":[],"progress":[]}'],
    ['a closing without its entry', '{"entries":[],"closings":[{"status":200}],"progress":[]}'],
  ])('reads over a line in the middle that is %s, and sets the file aside', async (_, broken) => {
    const path = folder()
    await fileJournal(path).append(batch('a'))
    const [file = ''] = segments(path)
    const line = readFileSync(join(path, file), 'utf8')
    writeFileSync(join(path, file), `${line}${broken}\n\n${line.replace('"a"', '"b"')}`)
    dead(path)
    const journal = fileJournal(path)
    expect(await replayed(journal)).toEqual(['a', 'b'])
    expect(readdirSync(path)).toEqual([expect.stringMatching(/\.jsonl\.damaged$/)])
    expect(fileJournal(path).empty).toBe(true)
  })

  it('takes no notice of files that are none of its own', async () => {
    const path = folder()
    for (const file of ['notes.txt', 'x.jsonl', '1-1.short-1-x.jsonl']) writeFileSync(join(path, file), 'x')
    mkdirSync(join(path, 'folder.jsonl'))
    const journal = fileJournal(path)
    expect(journal.empty).toBe(true)
    expect(await replayed(journal)).toEqual([])
    expect(readdirSync(path)).toHaveLength(4)
  })

  it('reads no more than a part of a long file at once', async () => {
    const path = folder()
    const before = fileJournal(path)
    const long = 'x'.repeat(1_000_000)
    for (let i = 0; i < 12; i++) await before.append(batch(`${i}${long}`))
    dead(path)
    const journal = fileJournal(path)
    const ids: string[] = []
    await journal.replay(async each => void ids.push(idOf(each).slice(0, -long.length)))
    expect(ids).toEqual(Array.from({ length: 12 }, (_, index) => `${index}`))
  })
})

describe('fileJournal, when the disk fails', () => {
  it('rejects, keeps nothing of that, and recovers', async () => {
    const path = folder()
    const journal = fileJournal(path)
    await journal.append(batch('a'))
    expect(await replayed(journal)).toEqual(['a'])
    rmSync(path, { recursive: true })
    writeFileSync(path, 'no folder')
    await expect(journal.append(batch('b'))).rejects.toThrow()
    await expect(Promise.all([journal.append(batch('c')), journal.append(batch('d'))])).rejects.toThrow()
    expect(journal.empty).toBe(true)
    rmSync(path)
    await journal.append(batch('e'))
    expect(await replayed(journal)).toEqual(['e'])
  })

  it('takes back the half of a line', async () => {
    const path = folder()
    const journal = fileJournal(path)
    await journal.append(batch('a'))
    const file = await open(process.execPath)
    const failing = vi.spyOn(Object.getPrototypeOf(file), 'datasync').mockRejectedValueOnce(new Error('EIO'))
    onTestFinished(() => failing.mockRestore())
    await file.close()
    await expect(journal.append(batch('b'))).rejects.toThrow('EIO')
    await journal.append(batch('c'))
    const texts = segments(path).map(name => readFileSync(join(path, name), 'utf8'))
    expect(texts.join('')).not.toContain('"b"')
    expect(await replayed(journal)).toEqual(['a', 'c'])
  })
})

describe('fileJournal, with others in its folder', () => {
  it('loses nothing that a living process is writing when another one takes its file', async () => {
    const path = folder()
    const owner = fileJournal(path)
    const found = new Set<string>()
    const thief = fileJournal(path)
    const kept: string[] = []
    let taken = 0
    const writing = (async () => {
      // Where each new file is taken at once, it may say that it cannot write.
      for (let i = 0; i < 2_000 && (i < 100 || kept.length <= 100 || taken <= 10); i++) {
        const append = (id: string) => owner.append(batch(id)).then(() => kept.push(id))
        await Promise.allSettled([1, 2, 3].map(part => append(`${i}.${part}`)))
      }
    })()
    let over = false
    void writing.finally(() => {
      over = true
    })
    while (!over) {
      // To the thief all of it looks as if nobody had touched it for long.
      for (const file of segments(path)) {
        try {
          utimesSync(join(path, file), 1_000, 1_000)
        } catch {
          // It was taken in this moment.
        }
      }
      await thief.replay(async each => {
        taken++
        found.add(idOf(each))
      })
      await sleep(1)
    }
    await writing
    for (const id of await replayed(owner)) found.add(id)
    expect(taken).toBeGreaterThan(10)
    expect(kept.length).toBeGreaterThan(100)
    expect(kept.filter(id => !found.has(id))).toEqual([])
    expect(readdirSync(path)).toEqual([])
  })

  it('writes again what it wrote to a file that was taken in that moment', async () => {
    const path = folder()
    const owner = fileJournal(path)
    await owner.append(batch('a'))
    const handle = await open(process.execPath)
    const prototype: typeof handle = Object.getPrototypeOf(handle)
    await handle.close()
    const found: string[] = []
    const { datasync } = prototype
    const taken = vi.spyOn(prototype, 'datasync').mockImplementationOnce(async function (
      this: typeof handle,
    ) {
      // It is read to its end as it was found, before what is being written was there.
      dead(path)
      const [file = ''] = segments(path)
      await this.truncate(statSync(join(path, file)).size - 5)
      for (const id of await replayed(fileJournal(path))) found.push(id)
      return datasync.call(this)
    })
    onTestFinished(() => taken.mockRestore())
    await owner.append(batch('b'))
    expect(found).toEqual(['a'])
    expect(await replayed(owner)).toEqual(['b'])
  })

  it('hands over everything once or more, whatever happens', async () => {
    const action = fc.oneof(
      { weight: 6, arbitrary: fc.constant('append' as const) },
      { weight: 2, arbitrary: fc.constant('append many' as const) },
      { weight: 2, arbitrary: fc.constant('replay' as const) },
      { weight: 2, arbitrary: fc.constant('fail' as const) },
      { weight: 1, arbitrary: fc.constant('crash' as const) },
      { weight: 1, arbitrary: fc.constant('tear' as const) },
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 40 }),
        fc.integer({ min: 600, max: 4_000 }),
        async (actions, maxBytes) => {
          const path = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
          let journal = fileJournal(path, { maxBytes })
          const kept: string[] = []
          const found = new Set<string>()
          const append = async () => {
            const id = `${kept.length}`
            kept.push(id)
            await journal.append(batch(id)).catch(() => found.add(id))
          }
          for (const what of actions) {
            if (what === 'append') await append()
            if (what === 'append many') await Promise.all([append(), append(), append()])
            if (what === 'replay') for (const id of await replayed(journal)) found.add(id)
            if (what === 'fail') {
              let left = 2
              await journal
                .replay(async each => {
                  if (left-- === 0) throw new Error('gone')
                  found.add(idOf(each))
                })
                .catch(() => {})
            }
            if (what === 'tear') {
              const [file] = segments(path)
              if (file !== undefined) appendFileSync(join(path, file), '{"entr')
            }
            if (what === 'crash' || what === 'tear') {
              dead(path)
              journal = fileJournal(path, { maxBytes })
            }
          }
          for (const id of await replayed(journal)) found.add(id)
          expect(kept.filter(id => !found.has(id))).toEqual([])
          expect(journal.empty).toBe(true)
          expect(readdirSync(path)).toEqual([])
          rmSync(path, { recursive: true })
        },
      ),
      { numRuns: 60 },
    )
  })
})
