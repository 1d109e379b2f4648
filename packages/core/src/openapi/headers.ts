import type { JsonObject } from '../protocol/chat.ts'

const described = {
  'x-request-id': ['The id of the request, for questions about it.', 'string', true],
  'x-client-request-id': ['The id that the caller gave the request, where the service reads it.', 'string'],
  'x-ratelimit-limit-requests': [
    'Of the rule for requests that has least left: how many it allows.',
    'integer',
  ],
  'x-ratelimit-remaining-requests': ['How many of them are left.', 'integer'],
  'x-ratelimit-reset-requests': ['Until all of them are there again, such as `6m0s`.', 'string'],
  'x-ratelimit-limit-tokens': ['Of the rule for tokens that has least left: how many it allows.', 'integer'],
  'x-ratelimit-remaining-tokens': ['How many of them are left.', 'integer'],
  'x-ratelimit-reset-tokens': ['Until all of them are there again, such as `6m0s`.', 'string'],
  'retry-after': ['When to try again, in seconds.', 'integer'],
  'retry-after-ms': ['When to try again, in milliseconds.', 'integer'],
  'x-should-retry': ['Whether a client is to repeat the request by itself.', 'string'],
  'www-authenticate': ['How to authenticate.', 'string', true],
  'idempotency-replayed': ['`true`: this answer was given before, to the same idempotency key.', 'string'],
  'x-sluice-cache': ['Whether the answer is from the cache: `hit` or `miss`.', 'string'],
  'x-sluice-adjustments': ['What was changed for a vendor that lacks it: a list of RFC 9651.', 'string'],
  'x-sluice-trace': ['How the request was routed, for callers who may see it.', 'string'],
} as const satisfies Record<string, readonly [description: string, type: string, always?: true]>

type HeaderName = keyof typeof described

/** All headers of answers that mean something to a caller, by lower-case name. */
export const describedHeaders: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(described).map(([name, [description, type, always = false]]) => [
    name,
    { description, ...(always ? { required: true } : {}), schema: { type } },
  ]),
)

const ofRoom: readonly HeaderName[] = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]
const ofWaits: readonly HeaderName[] = ['retry-after', 'retry-after-ms', 'x-should-retry']

const ofRouting: readonly HeaderName[] = ['x-sluice-adjustments', 'x-sluice-trace']

/** The headers of an answer of a status to a chat completion. */
export function headersOfChat(status: number): JsonObject {
  if (status === 200) return referred([...ofRoom, 'idempotency-replayed', 'x-sluice-cache', ...ofRouting])
  // These are told before limits are asked.
  if (status === 401 || status === 408) return headersOfModels(status)
  return referred([...ofRoom, ...ofWaits, ...ofRouting])
}

/** The headers of an answer of a status to what asks for models. */
export function headersOfModels(status: number): JsonObject {
  if (status === 401) return referred(['www-authenticate'])
  return referred(status === 503 ? ofWaits : [])
}

function referred(names: readonly HeaderName[]): JsonObject {
  const all: readonly HeaderName[] = ['x-request-id', 'x-client-request-id', ...names]
  return Object.fromEntries(all.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
