import { accessSync, constants, mkdirSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Journal, LedgerBatch } from '@sluice/core/store'
import { formatBatch, parseBatch } from './batch-line.ts'
import { readLines } from './lines.ts'
import { orphanBytes, takeOverOrphans } from './orphans.ts'
import { createOwner } from './owner.ts'
import { ignoreMissing, Segment } from './segment.ts'

/** Options of `fileJournal()`. */
export interface FileJournalOptions {
  /** The maximum size in bytes; beyond it `append` rejects. Default 67,108,864 (64 MiB). */
  readonly maxBytes?: number
}

/**
 * Creates a journal in files of a directory, and the directory if it is missing. Each process writes its own files, and
 * takes over those of dead processes. Files are readable by their owner only: they contain ids, tags, models and counts,
 * no prompts.
 *
 * Throws `TypeError` for invalid options, and an `Error` if the directory is not writable.
 */
export function fileJournal(directory: string, options: FileJournalOptions = {}): Journal {
  const own: FileJournalOptions = Object.assign(Object.create(null), options)
  const { maxBytes = 64 * 1024 * 1024 } = own
  if (typeof directory !== 'string' || directory === '') {
    throw new TypeError("fileJournal(): expected the path of a directory, such as './sluice-journal'.")
  }
  if (!(Number.isSafeInteger(maxBytes) && maxBytes > 0)) {
    throw new TypeError(
      `fileJournal(): got maxBytes ${String(maxBytes)}, expected a whole number of bytes from 1.`,
    )
  }
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new Error(
      'fileJournal(): the directory cannot be created or written. Choose a path that this process may write.',
      {
        cause: error,
      },
    )
  }
  // The process may change its working directory.
  return new FileJournal(resolve(directory), maxBytes)
}

/** A batch that waits for the next write. */
interface PendingAppend {
  readonly line: Buffer
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

const rescanMs = 30_000

class FileJournal implements Journal {
  readonly #directory: string
  readonly #maxBytes: number
  readonly #segmentBytes: number
  readonly #owner = createOwner()
  #serial = 0
  /** What lines are added to. */
  #active: Segment | undefined
  /** What is only read any more, oldest first. */
  #sealed: Segment[] = []
  #waiting: PendingAppend[] = []
  /** Of all segments and of what waits. */
  #bytes = 0
  /** In segments that are there to be taken over. */
  #orphanBytes: number
  #scannedAt = performance.now()
  #turn: Promise<unknown> = Promise.resolve()
  #replay: Promise<void> = Promise.resolve()

  constructor(directory: string, maxBytes: number) {
    this.#directory = directory
    this.#maxBytes = maxBytes
    // What was handed over is deleted by the segment.
    this.#segmentBytes = Math.min(4 * 1024 * 1024, Math.ceil(maxBytes / 4))
    this.#orphanBytes = orphanBytes(directory, this.#owner)
  }

  get empty(): boolean {
    // Another process may have died in the meantime.
    if (this.#bytes === 0 && performance.now() - this.#scannedAt > rescanMs) this.#scan()
    return this.#bytes === 0 && this.#orphanBytes === 0
  }

  async append(batch: LedgerBatch): Promise<void> {
    const line = formatBatch(batch)
    const kept = this.#bytes + this.#orphanBytes
    if (kept + line.length > this.#maxBytes) {
      throw new Error(
        `The journal is full: ${kept} of ${this.#maxBytes} bytes are used, and ${line.length} more do not fit. Increase maxBytes, or bring PostgreSQL back.`,
      )
    }
    this.#bytes += line.length
    const written = new Promise<void>((resolve, reject) => this.#waiting.push({ line, resolve, reject }))
    // Whatever comes while one group is written is the next one.
    if (this.#waiting.length === 1) void this.#inTurn(() => this.#writeWaiting())
    return written
  }

  replay(write: (batch: LedgerBatch) => Promise<void>): Promise<void> {
    const replay = this.#replay.then(() => this.#handAll(write))
    this.#replay = replay.catch(() => {})
    return replay
  }

  async #writeWaiting(): Promise<void> {
    const group = this.#waiting.splice(0)
    const lines = Buffer.concat(group.map(({ line }) => line))
    try {
      await this.#keep(lines)
      for (const { resolve } of group) resolve()
    } catch (error) {
      this.#bytes -= lines.length
      for (const { reject } of group) reject(error)
    }
  }

  async #keep(lines: Buffer): Promise<void> {
    const { size = 0 } = this.#active ?? {}
    if (size + lines.length > this.#segmentBytes) this.#seal()
    for (let attempt = 0; attempt < 5; attempt++) {
      this.#active ??= await this.#newSegment()
      try {
        if (await this.#active.append(lines)) return
      } catch (error) {
        if (this.#active.size === 0) await this.#forgetActive(active => active.end())
        else this.#seal()
        throw error
      }
      await this.#forgetActive()
    }
    throw new Error('The journal cannot be written: its files are taken away.')
  }

  async #newSegment(): Promise<Segment> {
    const name = { ...this.#owner, madeAt: Date.now(), serial: ++this.#serial }
    const segment = new Segment(this.#directory, name, 0)
    await segment.make()
    return segment
  }

  /** What was in it is another process's. */
  async #forgetActive(end: (active: Segment) => Promise<void> = async () => {}): Promise<void> {
    const active = this.#active
    if (active === undefined) return
    this.#active = undefined
    this.#bytes -= active.size
    await end(active).catch(() => {})
  }

  #seal(): void {
    if (this.#active !== undefined) this.#sealed.push(this.#active)
    this.#active = undefined
  }

  async #handAll(write: (batch: LedgerBatch) => Promise<void>): Promise<void> {
    await this.#takeOver()
    for (;;) {
      if (this.#sealed.length === 0) await this.#inTurn(async () => this.#seal())
      const segment = this.#sealed[0]
      if (segment === undefined) return
      await replaySegment(segment, write)
      await segment.end()
      this.#sealed = this.#sealed.filter(other => other !== segment)
      this.#bytes -= segment.size
    }
  }

  async #takeOver(): Promise<void> {
    const taken = await takeOverOrphans(this.#directory, this.#owner, () => ++this.#serial)
    this.#orphanBytes = 0
    this.#scannedAt = performance.now()
    for (const { size } of taken) this.#bytes += size
    this.#sealed = [...taken, ...this.#sealed].sort(
      (a, b) => a.name.madeAt - b.name.madeAt || a.name.serial - b.name.serial,
    )
  }

  #scan(): void {
    this.#scannedAt = performance.now()
    this.#orphanBytes = orphanBytes(this.#directory, this.#owner)
  }

  /** One after the other: a segment is not sealed while lines are added to it. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
    return done
  }
}

/** Hands over what of a segment was not handed over. Rejects with what `write` rejected with. */
async function replaySegment(segment: Segment, write: (batch: LedgerBatch) => Promise<void>): Promise<void> {
  const file = await open(segment.path, 'r').catch(ignoreMissing)
  // Another process has taken it over.
  if (file === undefined) return
  try {
    for await (const { text, next, ended } of readLines(file, segment.handed, segment.size)) {
      const batch = parseBatch(text)
      if (batch !== undefined) await write(batch)
      else if (ended && text !== '') segment.damaged = true
      segment.handed = next
    }
  } finally {
    await file.close()
  }
}
