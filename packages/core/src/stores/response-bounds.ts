import { unknownOptions } from '../errors/check-options.ts'
import { ConfigurationError, configurationError } from '../errors/configuration-error.ts'
import { ownMembers } from '../primitives/own-members.ts'

/** Options of a response store that outlives the process: in a database, or in Redis. */
export interface ResponseStoreOptions {
  /** How long a response is stored since it was last read, in milliseconds. Default 2,592,000,000 (30 days). */
  readonly ttlMs?: number | undefined
  /** Maximum number of responses per principal, from 1 to 1,000,000. Default 10,000. */
  readonly maxResponsesPerOwner?: number | undefined
  /** Maximum size of the responses of a principal, in UTF-8 bytes. Default 67,108,864 (64 MiB). */
  readonly maxBytesPerOwner?: number | undefined
}

/** What the options of a response store mean. */
export interface ResponseBounds {
  readonly ttlMs: number
  /** A read does not renew a response that was renewed within this time, in milliseconds: a read is cheap. */
  readonly renewMs: number
  readonly maxResponsesPerOwner: number
  readonly maxBytesPerOwner: number
}

const optionNames = Object.keys({
  ttlMs: true,
  maxResponsesPerOwner: true,
  maxBytesPerOwner: true,
} satisfies Record<keyof ResponseStoreOptions, true>)

const hourMs = 3_600_000

/**
 * Returns the bounds of a response store, with defaults. A read renews the time of life at most once per hour, or tenth of it.
 * Throws `ConfigurationError` for invalid options; `source` is the name of the function in its message.
 */
export function responseBounds(source: string, given: ResponseStoreOptions): ResponseBounds {
  const unknown = unknownOptions(given, optionNames)
  if (unknown.length > 0) throw new ConfigurationError(source, unknown)
  const options = ownMembers(given)
  const { ttlMs = 2_592_000_000, maxResponsesPerOwner = 10_000, maxBytesPerOwner = 67_108_864 } = options
  const bounds = { ttlMs, maxResponsesPerOwner, maxBytesPerOwner }
  const maximums = {
    ttlMs: 31_536_000_000_000,
    maxResponsesPerOwner: 1_000_000,
    maxBytesPerOwner: 2 ** 53 - 1,
  }
  for (const [name, maximum] of Object.entries(maximums)) {
    const value: unknown = bounds[name as keyof typeof bounds]
    if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= maximum) continue
    throw configurationError(source, [name], value, `a whole number from 1 to ${maximum}`)
  }
  return { ...bounds, renewMs: Math.min(Math.floor(ttlMs / 10), hourMs) }
}
