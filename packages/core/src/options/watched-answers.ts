import type { Observer } from '../events.ts'
import { StoreCalls } from '../policies/limits/store-calls.ts'
import type { AnswerStore, StoreOutcome, WatchedAnswers } from '../recall/answer-store.ts'

/** How long an operation may take, in milliseconds: a request waits for it. */
const timeoutMs = 50

/**
 * A store that is asked no more once it has failed often, until it works again: that is found out beside a request, not
 * by it. `observe` is told of both, and must not throw.
 */
export function watchedAnswers(store: AnswerStore, observe: Observer, clock: () => number): WatchedAnswers {
  const calls = new StoreCalls(
    timeoutMs,
    { clock, changed: (state, error) => observe({ type: 'store', store: 'answers', state, error }) },
    'store of answers',
  )
  const ask = async <T>(
    run: () => T | Promise<T>,
    late?: (value: T) => unknown,
  ): Promise<StoreOutcome<T>> => {
    if (calls.probeAt !== undefined) void calls.probe(async () => store.get('probe'))
    return calls.ask(
      // Also what throws before it has a promise.
      async () => run(),
      late && (outcome => outcome.ok && late(outcome.value)),
    )
  }
  const textOrNothing = (text: unknown) => {
    if (text === undefined || typeof text === 'string') return text
    throw new TypeError(`The store of answers gave ${typeof text}, expected a text or undefined.`)
  }
  return {
    get: key => ask(async () => textOrNothing(await store.get(key))),
    set: (key, text, ttlMs) => ask(() => store.set(key, text, ttlMs)),
    add: (key, text, ttlMs) =>
      ask(
        async () => textOrNothing(await store.add(key, text, ttlMs)),
        kept =>
          (kept === undefined || kept === text) && ask(() => store.replace(key, text, undefined, ttlMs)),
      ),
    replace: (key, kept, text, ttlMs) =>
      ask(async () => (await store.replace(key, kept, text, ttlMs)) === true),
  }
}
