import { type FileHandle, mkdir, open, rename, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type SegmentName, segmentFileName } from './segment-name.ts'

/** A file of lines, and how far it was handed over. */
export class Segment {
  readonly path: string
  readonly name: SegmentName
  /** Of its stored lines. */
  size: number
  /** Where the first line begins that was not handed over. */
  handed = 0
  /** Whether a line could not be read though it is whole: then the file is not deleted. */
  damaged = false

  constructor(folder: string, name: SegmentName, size: number) {
    this.path = join(folder, segmentFileName(name))
    this.name = name
    this.size = size
  }

  /** Makes an empty file whose name would survive a crash of the machine. */
  async make(): Promise<void> {
    const folder = dirname(this.path)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = await open(this.path, 'wx', 0o600)
    await file.close()
    // Not every system lets a folder be opened.
    const names = await open(folder, 'r').catch(() => undefined)
    await names?.sync().catch(() => {})
    await names?.close()
  }

  /**
   * Appends lines. Resolves to whether they are stored: `false` if another process has taken over the segment and may
   * have read it before. If it rejects, none of them is stored, and no more lines may be appended.
   */
  async append(lines: Buffer): Promise<boolean> {
    const file = await open(this.path, 'r+').catch(ignoreMissing)
    if (file === undefined) return false
    try {
      await write(file, lines, this.size)
      const [written, there] = await Promise.all([file.stat(), stat(this.path).catch(ignoreMissing)])
      if (there?.ino !== written.ino || there.dev !== written.dev) return false
    } catch (error) {
      // What was refused must not be found after a crash.
      await file.truncate(this.size).catch(() => {})
      throw error
    } finally {
      await file.close()
    }
    this.size += lines.length
    return true
  }

  /** Deletes it; sets it aside where it is damaged. Another process may have taken it over, and will do that. */
  async end(): Promise<void> {
    await (this.damaged ? rename(this.path, `${this.path}.damaged`) : unlink(this.path)).catch(ignoreMissing)
  }
}

async function write(file: FileHandle, bytes: Buffer, from: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, from + done)
    done += bytesWritten
  }
  await file.datasync()
}

/** `undefined` in place of a file that is not there; any other failure is one. */
export function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
