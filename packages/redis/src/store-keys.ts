import type { Counter } from '@sluice/core/store'

/** The names of a store's keys. All have the prefix as their hash tag: a cluster keeps them on one node. */
export interface StoreKeys {
  /** The record of a claim. */
  claim(id: string): string
  /** The counter's state, and what open claims hold of it. */
  counter(counter: Counter): [state: string, holds: string]
}

/** Throws `TypeError` for a prefix that cannot be a hash tag. */
export function storeKeys(prefix: string): StoreKeys {
  validatePrefix(prefix, 'redisLimitStore')
  return {
    claim: id => `{${prefix}}:claim:${encodeKeyPart(id)}`,
    counter(counter) {
      const kind = counter.kind === 'sum' ? `sum-${counter.window}` : counter.kind
      const key = encodeKeyPart(counter.key)
      return [`{${prefix}}:${kind}:${key}`, `{${prefix}}:${kind}-held:${key}`]
    },
  }
}

/** Throws `TypeError` for an invalid prefix. `of` is the function's name in the message. */
export function validatePrefix(prefix: string, of: string): void {
  if (typeof prefix === 'string' && /^[\w.:/-]{1,64}$/.test(prefix)) return
  throw new TypeError(
    `${of}().prefix: got ${JSON.stringify(prefix)}, expected 1 to 64 letters, digits or any of _ . : / -`,
  )
}

/** UTF-8 cannot encode a lone surrogate: clients would send the same bytes for each. */
export function encodeKeyPart(text: string): string {
  return text.replace(/[%\p{Surrogate}]/gu, unit => `%${unit.charCodeAt(0).toString(16)}`)
}
