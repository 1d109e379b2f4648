import { LRUCache } from 'lru-cache'
import { unknownOptions } from '../../check-options.ts'
import { ConfigurationError, configurationError } from '../../configuration-error.ts'
import { ownMembers } from '../../protocol/own-members.ts'
import type { AnswerStore } from '../../recall/answer-store.ts'
import { utf8Length } from '../../utf8-length.ts'

export interface MemoryAnswersOptions {
  /** How many texts are kept, from 1 to 1,000,000. Default 10,000. */
  readonly maxEntries?: number
  /** How many bytes they may have, with their keys, as UTF-8. Default 67,108,864 (64 MiB). */
  readonly maxBytes?: number
  /** Milliseconds on a clock that does not go back. Default `performance.now`. */
  readonly now?: () => number
}

/** Keeps answers in the memory of this process: every operation comes to its end at once. */
export interface MemoryAnswers extends AnswerStore {
  get(key: string): string | undefined
  set(key: string, text: string, ttlMs: number): void
  add(key: string, text: string, ttlMs: number): string | undefined
  replace(key: string, kept: string, text: string | undefined, ttlMs: number): boolean
  /** How many bytes are kept, with keys, as UTF-8; also of what nobody has asked for since its time was over. */
  readonly bytes: number
}

/**
 * Keeps answers in the memory of this process. The one longest unused makes room for others; one that is larger than all
 * of the room is not kept. Throws `ConfigurationError` for options that it cannot use.
 */
export function memoryAnswers(options: MemoryAnswersOptions = {}): MemoryAnswers {
  const unknown = unknownOptions(options, ['maxEntries', 'maxBytes', 'now'])
  if (unknown.length > 0) throw new ConfigurationError('memoryAnswers()', unknown)
  const { maxEntries = 10_000, maxBytes = 67_108_864, now = () => performance.now() } = ownMembers(options)
  expectWhole('maxEntries', maxEntries, 1_000_000)
  expectWhole('maxBytes', maxBytes, Number.MAX_SAFE_INTEGER)
  if (typeof now !== 'function') {
    throw configurationError('memoryAnswers()', ['now'], now, 'a function')
  }
  const texts = new LRUCache<string, string>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: (text, key) => utf8Length(key) + utf8Length(text),
    // Above 0: the time 0 would mean that there is none.
    perf: { now: () => 1 + now() },
    ttlResolution: 0,
  })
  const set = (key: string, text: string, ttlMs: number) =>
    void texts.set(key, text, ownMembers({ ttl: wholeMs(ttlMs) }))
  return {
    get bytes() {
      return texts.calculatedSize
    },
    get: key => texts.get(key, ownMembers({})),
    set,
    add(key, text, ttlMs) {
      const kept = texts.get(key, ownMembers({}))
      if (kept === undefined) set(key, text, ttlMs)
      return kept
    },
    replace(key, kept, text, ttlMs) {
      if (texts.get(key, ownMembers({})) !== kept) return false
      if (text === undefined) texts.delete(key)
      else set(key, text, ttlMs)
      return true
    },
  }
}

/** Without its check a text would be kept for ever. */
function wholeMs(ttlMs: number): number {
  if (typeof ttlMs === 'number' && ttlMs > 0 && Number.isFinite(ttlMs)) return Math.ceil(ttlMs)
  throw new TypeError(`ttlMs: got ${String(ttlMs)}, expected milliseconds above 0.`)
}

function expectWhole(name: string, value: unknown, most: number): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= most) return
  throw configurationError(
    'memoryAnswers()',
    [name],
    value,
    `a whole number from 1 to ${most.toLocaleString('en')}`,
  )
}
