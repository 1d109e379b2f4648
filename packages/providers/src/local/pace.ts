import { knownOptions, namesOf } from '../known-options.ts'
import { checkedNumber, longestWait } from './checked-number.ts'
import { seededRandom } from './hash.ts'

/** How fast the local provider answers. */
export interface Pace {
  /** Milliseconds to the first word. Default 0. */
  readonly firstTokenMs?: number
  /** Milliseconds between one word and the next. Default 0: as fast as it is read. */
  readonly tokenMs?: number
  /** How far each wait may differ, as a share of it from 0 to 1: always the same way for a request. Default 0. */
  readonly jitter?: number
}

const names = /* @__PURE__ */ namesOf<Pace>({ firstTokenMs: true, tokenMs: true, jitter: true })

/** Throws `TypeError` or `RangeError` for a pace that makes no sense. */
export function checkPace(pace: Pace): void {
  knownOptions('local(): pace', pace, names)
  if (pace.firstTokenMs !== undefined)
    checkedNumber('pace.firstTokenMs', pace.firstTokenMs, { max: longestWait / 2 })
  if (pace.tokenMs !== undefined) checkedNumber('pace.tokenMs', pace.tokenMs, { max: longestWait / 2 })
  if (pace.jitter !== undefined) checkedNumber('pace.jitter', pace.jitter, { max: 1 })
}

/** The waits of one answer in milliseconds, by the place of the piece that is waited for. */
export function waitsOf(
  { firstTokenMs = 0, tokenMs = 0, jitter = 0 }: Pace,
  seed: number,
): (piece: number) => number {
  if (firstTokenMs === 0 && tokenMs === 0) return () => 0
  const random = jitter === 0 ? () => 0.5 : seededRandom(seed)
  return piece => (piece === 0 ? firstTokenMs : tokenMs) * (1 + jitter * (2 * random() - 1))
}
