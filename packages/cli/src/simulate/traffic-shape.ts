import {
  type Burst,
  type ClientGroup,
  type ClientRetries,
  type Distribution,
  distributionIssue,
  type Outage,
  type Partition,
  type Quota,
  type StoreLink,
  type UpstreamModel,
} from '@sluice/testing/simulation'
import { parseDuration } from '../command-line/parse-time.ts'
import { count, countFromNone, share, shareOfSome, weight } from '../config/sections/numbers.ts'
import { isPlainObject, list, object, ownValue, record } from '../config/shape/collections.ts'
import { either } from '../config/shape/either.ts'
import type { Shape } from '../config/shape/shape.ts'
import { choice, flag, number, text } from '../config/shape/values.ts'

/** The keys and models of a group of clients, as a traffic file has them: an id or a name, or one with a weight. */
type Weighted<Name extends string> =
  | string
  | ({ readonly [Each in Name]: string } & { readonly weight?: number })

/** A group of clients in a traffic file. */
export interface TrafficClients
  extends Omit<ClientGroup, 'keys' | 'models' | 'recorded' | 'fromMs' | 'toMs'> {
  readonly from?: number
  readonly to?: number
  readonly keys: readonly Weighted<'id'>[]
  readonly models: readonly Weighted<'model'>[]
}

/** A traffic file. Durations are in milliseconds once it is read. */
export interface TrafficFile {
  readonly duration: number
  readonly gateways?: number
  readonly clients: readonly TrafficClients[]
  readonly upstreams?: Readonly<Record<string, UpstreamModel>>
  readonly stores?: { readonly limits?: StoreLink; readonly ledger?: StoreLink; readonly health?: StoreLink }
  readonly crashes?: readonly { readonly gateway: number; readonly at: number; readonly down?: number }[]
  readonly skew?: number
}

/** Longest duration of a simulation and of its parts: a year. */
const maxMs = 366 * 86_400_000

/** A duration: `30m`, `90s`, or milliseconds. Read as milliseconds. */
export const duration = durationThat(ms => ms >= 0, 'a duration')

const durationAboveNone = durationThat(ms => ms > 0, 'a duration above 0,')

function durationThat(isValid: (ms: number) => boolean, expected: string): Shape {
  return {
    read: (value, location) => {
      const ms = typeof value === 'string' ? parseDuration(value) : value
      return typeof ms === 'number' && isValid(ms) && ms <= maxMs
        ? ms
        : location.reject(value, `${expected} such as 90s, 30m or 8h, or milliseconds`)
    },
    schema: () => ({ type: ['string', 'number'] }),
  }
}

const distribution: Shape = {
  read: (value, location) => {
    const expected = distributionIssue(value)
    return expected === undefined ? value : location.reject(value, expected)
  },
  schema: () => ({}),
}

/** A distribution of which no value is 0, but for the lower end of a range. */
const speed: Shape = {
  read: (value, location) => {
    const given = distribution.read(value, location)
    return given === undefined || isAboveNone(given as Distribution)
      ? given
      : location.reject(value, 'tokens per second above 0')
  },
  schema: distribution.schema,
}

function isAboveNone(given: Distribution): boolean {
  if (typeof given === 'number') return given > 0
  if ('uniform' in given) return given.uniform.max > 0
  if ('exponential' in given) return given.exponential.mean > 0
  return 'empirical' in given ? given.empirical.every(value => value > 0) : true
}

/** A range `from` to `to`, read with the names that the simulation has for it. */
function range<T>(
  members: Parameters<typeof object<Omit<T, 'fromMs' | 'toMs'>>>[0],
  expected: string,
): Shape {
  const shape = object<{ from: number; to: number }>(
    {
      ...(members as object),
      from: { shape: duration, required: true },
      to: { shape: duration, required: true },
    } as never,
    expected,
  )
  return {
    read: (value, location) => {
      const given = shape.read(value, location)
      if (!isPlainObject(given)) return undefined
      const { from, to, ...rest } = given
      if (typeof from === 'number' && typeof to === 'number' && from >= to) {
        return location.at('to').reject(ownValue(value as object, 'to'), 'a time after from')
      }
      return { fromMs: from, toMs: to, ...rest }
    },
    schema: shape.schema,
  }
}

const failureKind = either(
  [
    {
      when: value => typeof value === 'number',
      shape: number({ min: 400, max: 599, whole: true }, 'a status from 400 to 599'),
    },
    { when: () => true, shape: choice('unreachable', 'timeout', 'cut') },
  ],
  'a status, unreachable, timeout or cut',
)

const outage = range<Outage>({ kind: { shape: failureKind }, share: { shape: shareOfSome } }, '{ from, to }')

const quota = object<Quota>({
  requestsPerMinute: { shape: count },
  tokensPerMinute: { shape: count },
  concurrent: { shape: count },
})

const failureList = list(
  object<{ kind: unknown; share: number }>({
    kind: { shape: failureKind, required: true },
    share: { shape: share, required: true },
  }),
  { of: '{ kind, share }' },
)

/** Failures whose shares sum to 1 at most: those beyond it would never happen. */
const failures: Shape = {
  read: (value, location) => {
    const given = failureList.read(value, location)
    const shares = Array.isArray(given) ? given.map(each => ownValue(Object(each), 'share')) : []
    const sum = shares.reduce<number>((total, each) => total + (typeof each === 'number' ? each : 0), 0)
    // Sums of fractions are not exact.
    return sum < 1 + 1e-9
      ? given
      : location.add({
          got: `shares with a sum of ${Number(sum.toFixed(6))}`,
          expected: 'a sum of at most 1',
        })
  },
  schema: failureList.schema,
}

const upstream = object<UpstreamModel>({
  firstTokenMs: { shape: distribution },
  tokensPerSecond: { shape: speed },
  networkMs: { shape: distribution },
  streamReads: { shape: count },
  failures: { shape: failures },
  outages: { shape: list(outage, { of: '{ from, to }' }) },
  quota: { shape: quota },
})

const partition = range<Partition>(
  {
    gateways: { shape: list(countFromNone, { min: 1, of: 'numbers of gateways, from 0' }) },
    kind: { shape: choice('silent', 'refused') },
  },
  '{ from, to }',
)

const store = object<StoreLink>({
  latencyMs: { shape: distribution },
  partitions: { shape: list(partition, { of: '{ from, to }' }) },
})

function weighted(name: 'id' | 'model'): Shape {
  const one = text(name === 'id' ? 'the id of a key' : 'the name of a model')
  return either(
    [
      { when: value => typeof value === 'string', shape: one },
      {
        when: isPlainObject,
        shape: object<{ id: string; weight: number }>({
          [name]: { shape: one, required: true },
          weight: { shape: weight },
        } as never),
      },
    ],
    name === 'id' ? 'the id of a key, or { id, weight }' : 'the name of a model, or { model, weight }',
  )
}

const clients = object<TrafficClients>(
  {
    name: { shape: text('a name') },
    rate: {
      shape: number({ min: 0, max: 1_000_000 }, 'requests per second, a number from 0'),
      required: true,
    },
    from: { shape: duration },
    to: { shape: duration },
    diurnal: {
      shape: object<{ share: number; periodMs: number }>({
        share: { shape: share, required: true },
        periodMs: { shape: durationAboveNone, required: true },
      }),
    },
    bursts: {
      shape: list(
        range<Burst>(
          { factor: { shape: number({ min: 0, max: 10_000 }, 'a number from 0'), required: true } },
          '{ from, to, factor }',
        ),
        { of: '{ from, to, factor }' },
      ),
    },
    keys: { shape: list(weighted('id'), { min: 1, of: 'ids of keys' }), required: true },
    models: { shape: list(weighted('model'), { min: 1, of: 'names of models' }), required: true },
    dialect: { shape: choice('chat', 'messages') },
    promptTokens: { shape: distribution },
    completionTokens: { shape: distribution },
    maxTokens: { shape: count },
    streamed: { shape: share },
    retries: {
      shape: object<ClientRetries>({
        max: { shape: countFromNone, required: true },
        baseMs: { shape: duration },
        maxMs: { shape: duration },
        obeysRetryAfter: { shape: flag },
      }),
    },
    disconnects: {
      shape: object<{ share: number; afterMs: unknown }>({
        share: { shape: share, required: true },
        afterMs: { shape: distribution, required: true },
      }),
    },
  },
  '{ rate, keys, models }',
)

/** A traffic file. */
export const trafficShape = object<TrafficFile>(
  {
    duration: { shape: durationAboveNone, required: true },
    gateways: { shape: number({ min: 1, max: 10_000, whole: true }, 'a whole number from 1 to 10000') },
    clients: { shape: list(clients, { min: 1, max: 1_000, of: '{ rate, keys, models }' }), required: true },
    upstreams: { shape: record(upstream, { of: 'models by the name of a provider' }) },
    stores: {
      shape: object<{ limits: StoreLink; ledger: StoreLink; health: StoreLink }>({
        limits: { shape: store },
        ledger: { shape: store },
        health: { shape: store },
      }),
    },
    crashes: {
      shape: list(
        object<{ gateway: number; at: number; down: number }>({
          gateway: { shape: countFromNone, required: true },
          at: { shape: duration, required: true },
          down: { shape: duration },
        }),
        { of: '{ gateway, at }' },
      ),
    },
    skew: { shape: duration },
  },
  '{ duration, clients }',
)
