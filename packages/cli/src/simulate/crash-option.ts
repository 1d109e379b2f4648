import type { Crash } from '@sluice/testing/simulation'
import { CommandError } from '../command.ts'
import { parseDuration } from '../command-line/parse-time.ts'
import { printable } from '../command-line/printable.ts'

/**
 * Parses `0:10m`, a gateway by its number from 0 and when it crashes, or `0:10m..12m` with when it runs again. Throws
 * `CommandError` with the exit code 2.
 */
export function parseCrash(text: string): Crash {
  const [, number = '', from = '', to] = /^(\d{1,5}):([^.:]+)(?:\.\.([^.:]+))?$/.exec(text) ?? []
  const atMs = parseDuration(from)
  const endMs = to === undefined ? undefined : parseDuration(to)
  const isEnd = to === undefined || (endMs !== undefined && atMs !== undefined && endMs > atMs)
  if (number !== '' && atMs !== undefined && isEnd) {
    return { gateway: Number(number), atMs, ...(endMs !== undefined && { downMs: endMs - atMs }) }
  }
  throw new CommandError(
    `--crash is '${printable(text)}', expected the number of a gateway from 0 and a time, such as 0:10m, or 0:10m..12m with when it runs again.`,
    2,
  )
}
