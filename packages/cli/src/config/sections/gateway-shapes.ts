import type {
  AbandonedCallOptions,
  BreakerOptions,
  ModelPrice,
  RequestLimits,
  RetryOptions,
  StreamPacing,
  Timeouts,
  TokenPrice,
} from '@sluice/core'
import { object, record } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import type { Shape } from '../shape/shape.ts'
import { choice, number } from '../shape/values.ts'
import { count, countFromNone, dollars, milliseconds, share, shareOfSome } from './numbers.ts'

export const cacheShape = object<{ ttlMs: number; maxBytes?: number }>({
  ttlMs: {
    shape: number({ above: 0, max: 31_536_000_000 }, 'milliseconds above 0, a year at most'),
    description: 'How long an answer is kept, in milliseconds.',
    required: true,
  },
  maxBytes: {
    shape: number({ min: 1, max: 67_108_864, whole: true }, 'a whole number of bytes from 1 to 67108864'),
    description: 'How large a kept answer may be. Default 1048576.',
  },
})

const tokenPrices = {
  input: { shape: dollars, description: 'US dollars per million tokens.', required: true },
  output: { shape: dollars, description: 'Reasoning is part of it.', required: true },
  cachedInput: { shape: dollars, description: "Input from the vendor's cache. Default: as `input`." },
  cacheWrite: { shape: dollars, description: "Input into the vendor's cache. Default: as `input`." },
  audioInput: { shape: dollars, description: 'Default: as `input`.' },
  audioOutput: { shape: dollars, description: 'Default: as `output`.' },
} as const

const tier = either(
  [
    { when: value => typeof value !== 'object', shape: dollars },
    {
      when: () => true,
      shape: object<TokenPrice>(tokenPrices, 'a price, such as { input: 0.3, output: 1.2 }'),
    },
  ],
  'a price, such as { input: 0.3, output: 1.2 }, or a multiple of the usual one',
)

const price = object<ModelPrice>(
  {
    ...tokenPrices,
    perRequest: { shape: dollars, description: 'US dollars for each request, beside its tokens. Default 0.' },
    webSearch: {
      shape: dollars,
      description:
        'US dollars for each web search. Default: not known, so that an answer with one has no price.',
    },
    tiers: {
      shape: record(tier, { of: 'prices by service tier' }),
      description: 'Prices of service tiers, or multiples of the usual ones: `{ priority: 2, flex: 0.5 }`.',
    },
  },
  'a price, such as { input: 0.15, output: 0.6 }',
)

export const pricesShape = either(
  [
    { when: value => value === 'genai-prices', shape: just('genai-prices') },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: record(price, { of: 'prices by model', min: 1 }),
    },
  ],
  "'genai-prices', or prices by model, such as { small: { input: 0.15, output: 0.6 } }",
)

export const abandonedCallsShape = object<Partial<AbandonedCallOptions>>({
  charge: {
    shape: choice('reservation', 'prompt', 'time'),
    description:
      '`reservation`: the prompt and all output that was reserved; `time`: output for the time that the call took; `prompt`: no output. Default `reservation`.',
  },
  outputTokensPerSecond: {
    shape: number({ above: 0, max: 2_147_483_647 }, 'tokens a second, above 0, at most 2147483647'),
    description: 'With `time`: how many tokens a second a model writes, in each choice. Default 100.',
  },
  maxOutputTokens: {
    shape: count,
    description: 'The output of one choice where a request names no bound. Default 4096.',
  },
})

export const intakeShape = object<RequestLimits>({
  maxBytes: { shape: count, description: 'Default 26214400 (25 MiB).' },
  maxDepth: { shape: count, description: 'How deep JSON may nest. Default 64.' },
  maxElements: { shape: count, description: 'How many values it may hold. Default 100000.' },
  maxMembers: { shape: count, description: 'How many members one object may have. Default 10000.' },
  deadlineMs: { shape: milliseconds, description: 'How long the body may take to arrive. Default 30000.' },
  minBytesPerSecond: {
    shape: count,
    description: 'How many bytes of a body must arrive per second, after `minRateGraceMs`. Default 256.',
  },
  minRateGraceMs: {
    shape: milliseconds,
    description: 'For how long `minBytesPerSecond` does not apply. Default 5000.',
  },
  maxUploads: {
    shape: count,
    description:
      'How many bodies a caller may send at the same time that take longer than `uploadGraceMs`. Default 4.',
  },
  uploadGraceMs: {
    shape: milliseconds,
    description: 'How long a body may take before it counts towards `maxUploads`. Default 1000.',
  },
  maxUploadBytes: {
    shape: count,
    description: 'How many bytes of bodies a caller may send at the same time. Default 67108864 (64 MiB).',
  },
  maxTotalUploadBytes: {
    shape: count,
    description:
      'How many bytes of bodies all callers may send at the same time. Default 536870912 (512 MiB).',
  },
})

export const timeoutsShape = object<Timeouts>({
  policyMs: {
    shape: milliseconds,
    description: 'For each function of your own, and for the ledger to keep an entry. Default 1000.',
  },
  connectMs: { shape: milliseconds, description: 'To connect to a vendor. Default 5000.' },
  firstByteMs: {
    shape: milliseconds,
    description: "From the call to the first byte of a streamed answer's head. Default 60000.",
  },
  responseMs: {
    shape: milliseconds,
    description: 'From the call to the end of an answer that is not streamed. Default 600000.',
  },
  idleMs: {
    shape: milliseconds,
    description: 'Between two reads of the answer, once it has begun. Default 120000.',
  },
  totalMs: {
    shape: milliseconds,
    description: 'From the first call to the end of the answer, over all attempts. Default 600000.',
  },
})

export const streamShape = object<StreamPacing>({
  keepAliveMs: {
    shape: milliseconds,
    description: 'A comment is sent when nothing else was for so long. Default 15000.',
  },
  holdMs: {
    shape: milliseconds,
    description:
      "How long after the vendor's head its first content is awaited before the answer's head is sent. Default 250.",
  },
})

export const retryShape = orFalse(
  object<RetryOptions>({
    baseMs: {
      shape: milliseconds,
      description: 'The bound of the first wait; it doubles with each. Default 250.',
    },
    maxMs: { shape: milliseconds, description: 'The largest bound. Default 8000.' },
    maxRetryAfterMs: {
      shape: milliseconds,
      description:
        'The longest pause that a vendor may ask for before a retry; a longer one is sent to the caller at once. Default 10000.',
    },
    budget: {
      shape: share,
      description: "The share of a place's requests that may be repeats. Default 0.2.",
    },
    minBudget: { shape: countFromNone, description: 'So many may be, whatever the share. Default 3.' },
  }),
)

export const breakerShape = orFalse(
  object<BreakerOptions>({
    failures: { shape: count, description: 'So many failures in a row open it. Default 5.' },
    errorRate: { shape: shareOfSome, description: 'Or this share of the calls. Default 0.5.' },
    minCalls: { shape: count, description: 'Of so many at least. Default 20.' },
    windowMs: { shape: milliseconds, description: 'Within so many milliseconds. Default 30000.' },
    openMs: { shape: milliseconds, description: 'How long it stays open the first time. Default 30000.' },
    maxOpenMs: { shape: milliseconds, description: 'And at most. Default 300000.' },
  }),
)

function orFalse(shape: Shape): Shape {
  return either(
    [
      { when: value => value === false, shape: just(false) },
      { when: value => value !== true && typeof value === 'object', shape },
    ],
    'an object or false',
  )
}
