import { systemClock } from '../clock/clock.ts'
import { unheard } from '../primitives/is-promise.ts'
import { freshId, random as systemRandom } from '../primitives/random.ts'
import type { Prices } from '../usage/prices.ts'
import { copiedUsage } from '../usage/usage.ts'

/** Ids of the user's making, or fresh ones: an answer needs one that a header can carry, even where that fails. */
export function soundId(id: (() => string) | undefined): () => string {
  if (id === undefined) return freshId
  return () => {
    const made = outcomeOf(id)
    return typeof made === 'string' && /^[\x21-\x7e]{1,100}$/.test(made) ? made : freshId()
  }
}

/** A clock of the user's making, or the process's own: an answer needs its time, even where that fails. */
export function soundNow(now: (() => number) | undefined): () => number {
  if (now === undefined) return systemClock.now
  return () => {
    const time = outcomeOf(now)
    return typeof time === 'number' && Number.isFinite(time) ? time : systemClock.now()
  }
}

/** Chance of the user's making, or the process's own: what is no number from 0 up to 1 decides nothing. */
export function soundRandom(random: (() => number) | undefined): () => number {
  if (random === undefined) return systemRandom
  return () => {
    const drawn = outcomeOf(random)
    return typeof drawn === 'number' && drawn >= 0 && drawn < 1 ? drawn : systemRandom()
  }
}

/** Prices of the user's making: what is no amount from 0 is not known, and not 0. They cannot change what they price. */
export function soundPrices(prices: Prices | undefined): Prices {
  if (prices === undefined) return () => null
  return (usage, model) => {
    try {
      const cost: unknown = prices(copiedUsage(usage), model)
      if (typeof cost === 'number' && Number.isFinite(cost) && cost >= 0) return cost
      unheard(cost)
    } catch {
      // What it costs is not known.
    }
    return null
  }
}

/** What a function gives, or `undefined` where it throws. */
function outcomeOf(run: () => unknown): unknown {
  try {
    const value = run()
    unheard(value)
    return value
  } catch {
    return undefined
  }
}
