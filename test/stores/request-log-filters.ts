import type { LoggedRequest, RequestLogSearch } from '@sluice/core/store'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** The last moment of the rows of `loggedRequests`. */
export const lastAt = Date.UTC(2026, 10, 21, 12)
const periodMs = 30 * dayMs

/** A filter that people search the request log by. `n` varies its values. */
export interface ListedFilter {
  readonly name: string
  search(n: number): Partial<RequestLogSearch>
}

/** The filters whose p95 over 10^6 rows `pnpm bench:log` measures. */
export const listedFilters: readonly ListedFilter[] = [
  { name: 'latest', search: () => ({}) },
  {
    name: 'an hour',
    search: n => ({ from: lastAt - (n * 37 + 1) * hourMs, to: lastAt - n * 37 * hourMs }),
  },
  { name: 'request id', search: n => ({ where: { id: idOf(n * 7_919) } }) },
  { name: "client's request id", search: n => ({ where: { clientRequestId: `client-${n * 5}` } }) },
  { name: 'key', search: n => ({ where: { key: `key-${n}` } }) },
  {
    name: 'key in a day',
    search: n => ({ from: lastAt - dayMs * (n + 1), to: lastAt - dayMs * n, where: { key: `key-${n}` } }),
  },
  {
    name: 'rare key with its source',
    search: n => ({ where: { key: `key-${180 + n}`, source: 'api_keys' } }),
  },
  { name: 'source', search: () => ({ where: { source: 'console' } }) },
  { name: 'user', search: n => ({ where: { user: `user-${n * 13}` } }) },
  { name: 'model', search: n => ({ where: { model: `model-${n}` } }) },
  { name: 'model with failures', search: n => ({ where: { model: `model-${n}`, status: '5xx' } }) },
  { name: 'team', search: n => ({ where: { tags: { team: `team-${n % 8}` } } }) },
  {
    name: 'team and model',
    search: n => ({ where: { tags: { team: `team-${n % 8}` }, model: `model-${n}` } }),
  },
  { name: 'rare tag', search: n => ({ where: { tags: { project: `project-${n * 29}` } } }) },
  { name: 'status 429', search: () => ({ where: { status: 429 } }) },
  { name: 'status 500 of a key', search: n => ({ where: { status: 500, key: `key-${n}` } }) },
  { name: 'outcome', search: () => ({ where: { outcome: 'internal_error' } }) },
  {
    name: 'error in a team',
    search: n => ({ where: { error: 'rate_limit_exceeded', tags: { team: `team-${n % 8}` } } }),
  },
  {
    name: 'text of an error in a day',
    search: n => ({
      from: lastAt - dayMs * (n + 1),
      to: lastAt - dayMs * n,
      where: { errorText: 'overloaded' },
    }),
  },
  {
    name: 'rare text of an error in 30 days',
    search: n => ({ from: lastAt - periodMs, where: { errorText: `case ${n}x` } }),
  },
  {
    name: 'dialect and provider',
    search: () => ({ where: { dialect: 'embeddings', provider: 'provider-5' } }),
  },
  {
    name: 'a late page of a model',
    search: n => ({
      where: { model: `model-${n}` },
      after: { at: lastAt - Math.floor(periodMs * 0.8), id: idOf(0) },
    }),
  },
]

/** So many requests of 30 days, as a busy service has them: few keys have most of them, and one in twenty fails. */
export function* loggedRequests(count: number): Generator<LoggedRequest> {
  const random = seeded(1)
  const skewed = (size: number) => Math.floor(size * random() ** 3)
  for (let index = 0; index < count; index++) {
    const key = skewed(200)
    const model = `model-${skewed(20)}`
    const provider = `provider-${skewed(6)}`
    const failure = random() < 0.05 ? failures[skewed(failures.length)]! : undefined
    const embeds = random() < 0.02
    const errorText =
      failure === undefined
        ? null
        : `${failure.error} ${provider}/${model} ${failure.message} case ${index % 1_000}x`
    yield {
      id: idOf(index),
      clientRequestId: index % 5 === 0 ? `client-${index}` : null,
      at: lastAt - Math.floor((periodMs * (count - index)) / count),
      operation: embeds ? 'embed' : 'generate',
      dialect: embeds ? 'embeddings' : 'chat',
      outcome: failure?.outcome ?? 'completed',
      status: failure?.status ?? 200,
      principal: `key-${key}`,
      source: index % 5_000 === 0 ? 'console' : 'api_keys',
      tags: { team: `team-${key % 8}`, project: `project-${key}` },
      user: random() < 0.3 ? `user-${skewed(20_000)}` : null,
      authFailure: null,
      model,
      provider,
      upstreamModel: `${model}-2026`,
      responseModel: `${model}-2026-01-01`,
      stream: random() < 0.5,
      promptTokens: 800,
      cachedTokens: 0,
      completionTokens: 120,
      reasoningTokens: 0,
      usageEstimated: false,
      cost: 0.001_234,
      queueMs: 0,
      firstByteMs: 210.4,
      totalMs: 1_240.1,
      overheadMs: 0.6,
      cache: null,
      replayed: false,
      error: failure?.error ?? null,
      errorStatus: failure?.status ?? null,
      errorMessage: failure?.message ?? null,
      errorText,
      attempts: [
        {
          provider,
          model: `${model}-2026`,
          key: null,
          why: 'first',
          called: true,
          startMs: 2,
          ms: 210.4,
          waitedMs: 0,
          status: failure?.status ?? null,
          error: failure?.error ?? null,
          errorMessage: failure?.message ?? null,
        },
      ],
      seed: index,
      candidates: [{ provider, model: `${model}-2026` }],
      hooks: [],
      adjustments: [],
      wouldHaveRefused: [],
      omitted: 0,
    }
  }
}

interface Failure extends Pick<LoggedRequest, 'outcome' | 'status'> {
  readonly error: string
  readonly message: string
}

const failures: readonly Failure[] = [
  { outcome: 'refused', status: 429, error: 'rate_limit_exceeded', message: 'Too many requests.' },
  { outcome: 'upstream_failed', status: 502, error: 'refused', message: 'The upstream is overloaded.' },
  { outcome: 'refused', status: 400, error: 'invalid_value', message: 'A value is invalid.' },
  { outcome: 'upstream_failed', status: 504, error: 'first_byte_timeout', message: 'No byte in 30000 ms.' },
  { outcome: 'internal_error', status: 500, error: 'TypeError', message: 'ECONNRESET' },
]

function idOf(index: number): string {
  return `req_019${index.toString(16).padStart(29, '0')}`
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
