import type { FileHandle } from 'node:fs/promises'

/** One line of a file, without its end. */
export interface Line {
  readonly text: string
  /** Where the next line begins. */
  readonly next: number
  /** `false` for a last line without an end: its writer died in the middle of it. */
  readonly ended: boolean
}

const newline = 0x0a

/** The lines of a file between two bytes. No more of it is in memory than one line and one read. */
export async function* readLines(
  file: FileHandle,
  from: number,
  to: number,
  readBytes = 65_536,
): AsyncGenerator<Line> {
  let pieces: Buffer[] = []
  let next = from
  const line = (ended: boolean): Line => {
    const bytes = Buffer.concat(pieces)
    pieces = []
    next += bytes.length + (ended ? 1 : 0)
    return { text: bytes.toString('utf8'), next, ended }
  }
  for (let position = from; position < to; ) {
    // A fresh one each time: a piece of the last one may wait for the end of its line.
    const buffer = Buffer.allocUnsafe(Math.min(readBytes, to - position))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position)
    if (bytesRead === 0) break
    position += bytesRead
    let rest = buffer.subarray(0, bytesRead)
    for (let at = rest.indexOf(newline); at >= 0; at = rest.indexOf(newline)) {
      pieces.push(rest.subarray(0, at))
      rest = rest.subarray(at + 1)
      yield line(true)
    }
    if (rest.length > 0) pieces.push(rest)
  }
  if (pieces.length > 0) yield line(false)
}
