import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import { systemClock } from '../clock/clock.ts'
import type { GuardedCacheStore, StoreOutcome } from '../contracts/cache-store.ts'
import { GatewayError } from '../errors/errors.ts'
import type { CacheWriter } from './cached-response.ts'
import { lookUpReplay } from './idempotency.ts'
import { InFlightKeys } from './in-flight-keys.ts'
import { memoryCacheStore } from './memory-cache-store.ts'

const ttlMs = 100_000
const [leastLeaseMs, mostLeaseMs] = [20_000, 30_000]

type Step =
  | {
      readonly do: 'ask'
      readonly process: number
      readonly who: number
      readonly key: number
      readonly body: number
    }
  | { readonly do: 'end'; readonly which: number; readonly how: 'completed' | 'too large' | 'failed' }
  | { readonly do: 'crash'; readonly process: number }
  | { readonly do: 'wait'; readonly ms: number }

const some = fc.nat({ max: 1 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      process: some,
      who: some,
      key: some,
      body: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      which: fc.nat(),
      how: fc.constantFrom('completed' as const, 'too large' as const, 'failed' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), process: some }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(1_000, 12_000, 40_000, 101_000),
    }),
  },
)

/** What is known of a key, as a reader of the page would say it. */
type Known =
  | { readonly is: 'running'; readonly body: number; readonly process: Process; crashedAt?: number }
  | { readonly is: 'done' | 'gone'; readonly body: number; readonly by: string; readonly until: number }

/** A process with its own view of the store, which ends with it. */
interface Process {
  readonly keys: InFlightKeys
  dead: boolean
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('requests with an idempotency key', () => {
  it('are answered once each, whatever ends and crashes between them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
        const store = memoryCacheStore()
        const processes = [processOn(store), processOn(store)]
        const known = new Map<string, Known>()
        const running: { name: string; requestId: string; keeper: CacheWriter; process: Process }[] = []
        let count = 0
        for (const now of steps) {
          switch (now.do) {
            case 'ask': {
              const process = processes[now.process]!
              const name = `${now.who}/${now.key}`
              const requestId = `req_${count++}`
              const seen = await outcomeOf(process, now, requestId)
              const expected = expectedOf(known.get(name), now.body)
              if (expected === undefined) {
                // Its process has died, and it is not known whether its time is over.
                expect(['free', 'busy', 'other body']).toContain(seen.is)
              } else expect(seen.is).toBe(expected)
              if (seen.is === 'free') {
                known.set(name, { is: 'running', body: now.body, process })
                running.push({ name, requestId, keeper: seen.keeper, process })
              }
              if (seen.is === 'done' || seen.is === 'gone') {
                expect(seen.of).toBe((known.get(name) as { by: string }).by)
              }
              break
            }
            case 'end': {
              const [ended] = running.length === 0 ? [] : running.splice(now.which % running.length, 1)
              if (ended === undefined || ended.process.dead) break
              const { name, requestId, keeper } = ended
              const { body } = known.get(name)!
              if (now.how === 'failed') {
                await keeper.failed()
                known.delete(name)
                break
              }
              const whole = now.how === 'completed'
              await keeper.completed(whole ? { stream: false, text: requestId, adjustments: [] } : undefined)
              const until = performance.now() + ttlMs
              known.set(name, { is: whole ? 'done' : 'gone', body, by: requestId, until })
              break
            }
            case 'crash': {
              const process = processes[now.process]!
              process.dead = true
              for (const each of known.values()) {
                if (each.is === 'running' && each.process === process) each.crashedAt = performance.now()
              }
              processes[now.process] = processOn(store)
              break
            }
            case 'wait':
              await vi.advanceTimersByTimeAsync(now.ms)
          }
        }
        vi.clearAllTimers()
      }),
      { numRuns: 300 },
    )
  })
})

function expectedOf(known: Known | undefined, body: number): string | undefined {
  if (known === undefined) return 'free'
  const now = performance.now()
  if (known.is !== 'running') {
    if (now > known.until) return 'free'
    return known.body === body ? known.is : 'other body'
  }
  const since = known.crashedAt === undefined ? 0 : now - known.crashedAt
  if (since > mostLeaseMs) return 'free'
  if (since >= leastLeaseMs) return undefined
  return known.body === body ? 'busy' : 'other body'
}

type Seen =
  | { readonly is: 'free'; readonly keeper: CacheWriter }
  | { readonly is: 'done' | 'gone'; readonly of: string }
  | { readonly is: 'busy' | 'other body' }

async function outcomeOf(
  { keys }: Process,
  { who, key, body }: Extract<Step, { do: 'ask' }>,
  requestId: string,
): Promise<Seen> {
  const request = new Request('http://there.test', { headers: { 'idempotency-key': `key-${key}` } })
  const draft = chatDraft({ body: { model: 'm', user: body === 1 ? 'other' : 'ann' } })
  // The third body is the first one in another dialect.
  const asked = body === 2 ? { ...draft, dialect: 'other' } : draft
  try {
    const found = await lookUpReplay(request, asked, { id: `principal-${who}` }, requestId, {
      keys,
      ttlMs,
      maxBytes: 100,
      onStoreFailure: 'closed',
    })
    if (found?.keeper !== undefined) return { is: 'free', keeper: found.keeper }
    if (found?.answer !== undefined) return { is: 'done', of: found.answer.text }
    throw new Error('Nothing was found.')
  } catch (error) {
    if (!GatewayError.is(error)) throw error
    if (error.reason === 'idempotency_in_progress') return { is: 'busy' }
    if (error.reason === 'idempotency_key_reused') return { is: 'other body' }
    if (error.reason === 'already_processed') return { is: 'gone', of: /req_\d+/.exec(error.message)![0] }
    throw error
  }
}

function processOn(store: ReturnType<typeof memoryCacheStore>): Process {
  const on = async <T>(run: () => T): Promise<StoreOutcome<T>> =>
    process.dead ? { ok: false, error: new Error('dead') } : { ok: true, value: run() }
  const watched: GuardedCacheStore = {
    get: key => on(() => store.get(key)),
    set: (...given) => on(() => store.set(...given)),
    add: (...given) => on(() => store.add(...given)),
    replace: (...given) => on(() => store.replace(...given)),
  }
  const process: Process = { keys: new InFlightKeys(watched, systemClock), dead: false }
  return process
}
