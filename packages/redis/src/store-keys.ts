import type { Counter } from '@sluice/core/store'

/** How the keys of a store are called. All have one hash tag, the prefix: a cluster keeps them on one node. */
export interface StoreKeys {
  /** The record of a claim. */
  claim(id: string): string
  /** What is kept of a count, and what claims hold of it. */
  counter(counter: Counter): [state: string, holds: string]
}

/** Throws `TypeError` for a prefix that would be no hash tag. */
export function storeKeys(prefix: string): StoreKeys {
  checkedPrefix(prefix, 'redisStore')
  return {
    claim: id => `{${prefix}}:claim:${spelled(id)}`,
    counter(counter) {
      const kind = counter.kind === 'sum' ? `sum-${counter.window}` : counter.kind
      const key = spelled(counter.key)
      return [`{${prefix}}:${kind}:${key}`, `{${prefix}}:${kind}-held:${key}`]
    },
  }
}

/** Throws `TypeError` for a prefix of which `of` can make no names. */
export function checkedPrefix(prefix: string, of: string): void {
  if (typeof prefix === 'string' && /^[\w.:/-]{1,64}$/.test(prefix)) return
  throw new TypeError(
    `${of}().prefix: got ${JSON.stringify(prefix)}, expected 1 to 64 letters, digits or any of _ . : / -`,
  )
}

/** Half a surrogate pair has no form in UTF-8: clients would send the same bytes for each. */
export function spelled(text: string): string {
  return text.replace(/[%\p{Surrogate}]/gu, unit => `%${unit.charCodeAt(0).toString(16)}`)
}
