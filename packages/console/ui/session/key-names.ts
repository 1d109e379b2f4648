import type { KeyRow } from '../../src/api.ts'
import { isKey } from '../../src/keys/is-key.ts'
import { createStore, type Store } from '../state/store.ts'

/** Who called: the id of a key, and who vouches for it. */
export interface Caller {
  readonly id: string
  readonly source?: string | undefined
}

/** The names of issued keys, by their ids. Names of keys that were deleted stay until the page is closed. */
export interface KeyNames {
  readonly state: Store<ReadonlyMap<string, string>>
  /** Loads the names. */
  refresh(): void
  /** Loads the names if one of these callers may have a name that is not known yet; once for each caller. */
  want(callers: readonly Caller[]): void
}

/** `keys` lists the keys; `undefined` where there is nothing to ask. */
export function keyNames(keys: (() => Promise<readonly KeyRow[]>) | undefined): KeyNames {
  const state = createStore<ReadonlyMap<string, string>>(new Map())
  const asked = new Set<string>()
  let loading = false
  const refresh = () => {
    if (keys === undefined || loading) return
    loading = true
    keys()
      .then(rows => {
        state.update(last =>
          rows.every(({ id, name }) => last.get(id) === name)
            ? last
            : new Map([...last, ...rows.map(({ id, name }) => [id, name] as const)]),
        )
      })
      // Without names the ids are shown.
      .catch(() => {})
      .finally(() => {
        loading = false
      })
  }
  return {
    state,
    refresh,
    want: callers => {
      const missing = callers.filter(
        caller => isKey(caller) && !state.get().has(caller.id) && !asked.has(caller.id),
      )
      if (missing.length === 0) return
      for (const { id } of missing) asked.add(id)
      refresh()
    },
  }
}

/** What a caller is called: the name of its key, else its id. A caller of another source is no key, whatever its id is. */
export function callerName(caller: Caller, names: ReadonlyMap<string, string>): string {
  return (isKey(caller) ? names.get(caller.id) : undefined) ?? caller.id
}

/** The names of several callers, in their order, told apart where two have the same. */
export function callerNames(
  callers: readonly Caller[],
  names: ReadonlyMap<string, string>,
): readonly string[] {
  const plain = callers.map(caller => callerName(caller, names))
  const withIds = callers.map((caller, at) => {
    const isShared = plain.some((name, other) => name === plain[at] && !isSame(callers[other]!, caller))
    return isShared && plain[at] !== caller.id ? `${plain[at]} (${caller.id})` : plain[at]!
  })
  return callers.map((caller, at) => {
    const isShared = withIds.some((name, other) => name === withIds[at] && !isSame(callers[other]!, caller))
    return isShared && caller.source !== undefined ? `${withIds[at]} [${caller.source}]` : withIds[at]!
  })
}

function isSame(one: Caller, other: Caller): boolean {
  return one.id === other.id && one.source === other.source
}
