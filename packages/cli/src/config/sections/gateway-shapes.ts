import type {
  AbandonedCallOptions,
  BreakerOptions,
  CallTimeouts,
  LongContextPrice,
  ModelPrice,
  RequestLimits,
  RetryOptions,
  StreamPacing,
  Timeouts,
  TokenPrice,
} from '@sluice/core'
import type { BundledPricesConfig, PriceRefreshConfig } from '../config.ts'
import { list, object, record } from '../shape/collections.ts'
import { either, just } from '../shape/either.ts'
import type { Shape } from '../shape/shape.ts'
import { choice, number, secret, text } from '../shape/values.ts'
import { count, countFromNone, dollars, milliseconds, share, shareOfSome } from './numbers.ts'

export const cacheShape = object<{ ttlMs: number; maxBytes?: number }>({
  ttlMs: {
    shape: number({ above: 0, max: 31_536_000_000 }, 'milliseconds above 0, at most a year'),
    description: 'Time to live of a cached response, in milliseconds.',
    required: true,
  },
  maxBytes: {
    shape: number({ min: 1, max: 67_108_864, whole: true }, 'a whole number of bytes from 1 to 67108864'),
    description: 'Maximum size of a cached response, in bytes. Default 1048576.',
  },
})

const tokenPrices = {
  input: { shape: dollars, description: 'US dollars per million tokens.', required: true },
  output: {
    shape: dollars,
    description: 'US dollars per million tokens, including reasoning.',
    required: true,
  },
  cachedInput: { shape: dollars, description: "Input from the vendor's cache. Default: as `input`." },
  cacheWrite: { shape: dollars, description: "Input into the vendor's cache. Default: as `input`." },
  audioInput: { shape: dollars, description: 'Default: as `input`.' },
  audioOutput: {
    shape: dollars,
    description: 'Default: unknown, so that a response with audio has no price.',
  },
} as const

const tier = either(
  [
    { when: value => typeof value !== 'object', shape: dollars },
    {
      when: () => true,
      shape: object<TokenPrice>(tokenPrices, 'a price, such as { input: 0.3, output: 1.2 }'),
    },
  ],
  'a price, such as { input: 0.3, output: 1.2 }, or a multiple of the default price',
)

const longContext = object<LongContextPrice>(
  {
    ...tokenPrices,
    above: {
      shape: count,
      description: 'Applies to all tokens of a request whose prompt has more tokens than this.',
      required: true,
    },
  },
  'a price, such as { above: 200000, input: 6, output: 22.5 }',
)

const price = object<ModelPrice>(
  {
    ...tokenPrices,
    longContext: {
      shape: list(longContext, { of: 'prices' }),
      description: 'Prices of requests with a long prompt. Default: as the others.',
    },
    perRequest: {
      shape: dollars,
      description: 'US dollars per request, in addition to its tokens. Default 0.',
    },
    webSearch: {
      shape: dollars,
      description:
        'US dollars per web search. Default: unknown, so that a response with a web search has no price.',
    },
    searchUnit: {
      shape: dollars,
      description: 'US dollars per search unit, by which some vendors bill an order of documents. Default 0.',
    },
    tiers: {
      shape: record(tier, { of: 'prices by service tier' }),
      description:
        'Prices of service tiers, or multiples of the default price: `{ priority: 2, flex: 0.5 }`.',
    },
  },
  'a price, such as { input: 0.15, output: 0.6 }',
)

export const pricesShape = either(
  [
    { when: value => value === 'genai-prices', shape: just('genai-prices') },
    { when: value => value === false, shape: just(false) },
    {
      when: value => typeof value === 'object' && value !== null,
      shape: record(price, { of: 'prices by model', min: 1 }),
    },
  ],
  "'genai-prices', false, or prices by model, such as { small: { input: 0.15, output: 0.6 } }",
)

const priceNames = record(text('a name'), { of: 'names' })

export const bundledPricesShape = orFalse(
  object<BundledPricesConfig>({
    refresh: {
      shape: object<PriceRefreshConfig>(
        {
          // An invalid value is not shown: it may contain credentials.
          from: {
            shape: secret('a URL with https, or the path of a file'),
            description: 'A URL, or the path of a file, in the format of `@pydantic/genai-prices`.',
            required: true,
          },
          intervalMs: {
            shape: milliseconds,
            description: 'How often they are loaded. Default 86400000, a day.',
          },
          timeoutMs: { shape: milliseconds, description: 'Timeout of loading them. Default 10000.' },
        },
        '{ from, intervalMs }',
      ),
      description: 'Where newer prices come from. Default: the bundled ones only.',
    },
    warnAfterDays: {
      shape: either(
        [
          { when: value => value === false, shape: just(false) },
          { when: () => true, shape: count },
        ],
        'a whole number of days from 1, or false',
      ),
      description: 'How old the prices may be before a warning. Default 90. `false`: no warning.',
    },
    providers: {
      shape: priceNames,
      description: 'The vendors of providers, where their type does not say it: `{ mine: openai }`.',
    },
    models: {
      shape: priceNames,
      description: "The vendors' names of models that have names of your own, such as deployments.",
    },
  }),
)

export const abandonedCallsShape = object<Partial<AbandonedCallOptions>>({
  charge: {
    shape: choice('reservation', 'prompt', 'time'),
    description:
      '`reservation`: the prompt and all reserved output; `time`: the prompt, and output by the duration of the call; `prompt`: the prompt only. Default `reservation`.',
  },
  outputTokensPerSecond: {
    shape: number({ above: 0, max: 2_147_483_647 }, 'tokens a second, above 0, at most 2147483647'),
    description: 'With `time`: assumed output tokens per second, in each choice. Default 100.',
  },
  maxOutputTokens: {
    shape: count,
    description: 'Assumed output of one choice where the request sets no maximum. Default 4096.',
  },
})

export const requestLimitsShape = object<RequestLimits>({
  maxBytes: { shape: count, description: 'Default 26214400 (25 MiB).' },
  maxDepth: { shape: count, description: 'Maximum nesting depth of the JSON. Default 64.' },
  maxElements: { shape: count, description: 'Maximum number of values. Default 100000.' },
  maxMembers: { shape: count, description: 'Maximum number of members of an object. Default 10000.' },
  deadlineMs: { shape: milliseconds, description: 'Timeout for receiving the body. Default 30000.' },
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
      'Maximum number of concurrent uploads of a caller that take longer than `uploadGraceMs`. Default 4.',
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

const callTimeouts = {
  queueMs: {
    shape: milliseconds,
    description:
      'How long a call waits for one of the `maxConcurrent` calls of its provider while there is another target. Default 1000.',
  },
  firstByteMs: {
    shape: milliseconds,
    description: 'From the call to the response headers of a stream. Default 60000.',
  },
  responseMs: {
    shape: milliseconds,
    description: 'From the call to the end of a response that is not streamed. Default 600000.',
  },
  idleMs: {
    shape: milliseconds,
    description: 'Between two chunks of a response. Default 120000.',
  },
  totalMs: {
    shape: milliseconds,
    description:
      'From the first call of a request to the end of the response, over all attempts. Default 600000.',
  },
}

export const callTimeoutsShape = object<CallTimeouts>(callTimeouts)

export const timeoutsShape = object<Timeouts>({
  policyMs: {
    shape: milliseconds,
    description: 'For each of your own functions, and for writing a ledger entry. Default 1000.',
  },
  connectMs: { shape: milliseconds, description: 'To connect to a vendor. Default 5000.' },
  ...callTimeouts,
})

export const streamShape = object<StreamPacing>({
  keepAliveMs: {
    shape: milliseconds,
    description: 'Interval of keep-alive comments while a stream is silent. Default 15000.',
  },
  holdMs: {
    shape: milliseconds,
    description:
      "How long to wait for the first content after the vendor's response headers, before sending headers to the client. Default 250.",
  },
})

export const retryShape = orFalse(
  object<RetryOptions>({
    baseMs: {
      shape: milliseconds,
      description: 'Maximum of the first backoff delay; it doubles with each retry. Default 250.',
    },
    maxMs: { shape: milliseconds, description: 'Maximum backoff delay. Default 8000.' },
    maxRetryAfterMs: {
      shape: milliseconds,
      description:
        'Longest `retry-after` of a vendor to wait for; a longer one is returned to the caller at once. Default 10000.',
    },
    budget: {
      shape: share,
      description: "Retry budget: the share of a target's calls that may be retries. Default 0.2.",
    },
    minBudget: {
      shape: countFromNone,
      description: 'Minimum number of retries that are always allowed. Default 3.',
    },
  }),
)

export const breakerShape = orFalse(
  object<BreakerOptions>({
    failures: { shape: count, description: 'Consecutive failures that open the circuit breaker. Default 5.' },
    errorRate: { shape: shareOfSome, description: 'Share of failed calls that opens it. Default 0.5.' },
    minCalls: { shape: count, description: 'Minimum number of calls for `errorRate`. Default 20.' },
    windowMs: {
      shape: milliseconds,
      description: 'Time window of `errorRate`, in milliseconds. Default 30000.',
    },
    openMs: {
      shape: milliseconds,
      description: 'How long it stays open the first time, in milliseconds. Default 30000.',
    },
    maxOpenMs: {
      shape: milliseconds,
      description: 'Maximum time that it stays open, in milliseconds. Default 300000.',
    },
    cooldownMs: {
      shape: milliseconds,
      description: 'Cooldown after a 429 without `retry-after`, in milliseconds. Default 1000.',
    },
  }),
)

/** A section that `false` turns off. */
export function orFalse(shape: Shape): Shape {
  return either(
    [
      { when: value => value === false, shape: just(false) },
      { when: value => value !== true && typeof value === 'object', shape },
    ],
    'an object or false',
  )
}
