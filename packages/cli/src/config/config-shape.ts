import type { TypedConfig } from './config.ts'
import { providerShape, providersSchema } from './providers/provider-shape.ts'
import { routeShape } from './routes/route-shape.ts'
import { alertsShape } from './sections/alerts-shape.ts'
import { jwtShape, keysShape } from './sections/callers-shape.ts'
import { consoleShape } from './sections/console-shape.ts'
import {
  abandonedCallsShape,
  breakerShape,
  bundledPricesShape,
  cacheShape,
  pricesShape,
  requestLimitsShape,
  retryShape,
  streamShape,
  timeoutsShape,
} from './sections/gateway-shapes.ts'
import { hooksShape } from './sections/hooks-shape.ts'
import { limitsShape } from './sections/limit-shape.ts'
import { logShape } from './sections/log-shape.ts'
import { count } from './sections/numbers.ts'
import { responsesShape } from './sections/responses-shape.ts'
import { serverShape } from './sections/server-shape.ts'
import { stateShape } from './sections/state-shape.ts'
import { telemetryShape } from './sections/telemetry-shape.ts'
import { isPlainObject, list, type Member, object, record } from './shape/collections.ts'
import { either } from './shape/either.ts'
import type { Shape } from './shape/shape.ts'
import { choice, flag, text } from './shape/values.ts'

/** The provider is the part before the first `/` of a target. */
const providers = record(providerShape, {
  of: 'providers by name',
  name: name => (name.includes('/') || name.includes('*') ? "a name without '/' and '*'" : undefined),
})

const models = record(routeShape, {
  of: "models by name, such as { 'gpt-4.1': 'openai/gpt-4.1' }",
  min: 1,
  name: name => (name.split('*').length > 2 ? "a name with one '*' at most" : undefined),
})

const callable = (what: string): Shape => ({
  read: (value, location) => (typeof value === 'function' ? value : location.reject(value, what)),
  schema: () => ({ not: {} }),
})

/** Log, metrics and console depend on them. */
const elsewhere = { basePath: 'server.basePath', observe: 'observe, beside gateway' }

/** The settings of data formats. */
export const configMembers = {
  $schema: { shape: text(), description: 'URL of the JSON Schema, for editors.' },
  server: { shape: serverShape, description: 'The server: address, port, CORS.' },
  providers: {
    shape: { read: providers.read, schema: providersSchema },
    description:
      "Providers by the names that routes use. `type` is optional where the name is a vendor's own.",
  },
  models: {
    shape: models,
    description: 'Models by their public names, with the targets that answer them.',
    required: true,
  },
  keys: { shape: keysShape, description: 'API keys of callers.' },
  jwt: { shape: jwtShape, description: 'Callers with JWTs of an identity provider.' },
  limits: { shape: limitsShape, description: 'Rate limits and budgets for all callers.' },
  prices: {
    shape: pricesShape,
    description:
      'US dollars per million tokens, by model or `provider/model`, in place of the bundled prices; `genai-prices`; or `false`: nothing has a price.',
  },
  bundledPrices: {
    shape: bundledPricesShape,
    description: 'The bundled prices of known models. `false`: only `prices` apply.',
  },
  abandonedCalls: {
    shape: abandonedCallsShape,
    description:
      'How to charge calls that were cancelled before any content arrived. Default: the reserved amount.',
  },
  state: { shape: stateShape, description: 'Database and Redis.' },
  cache: { shape: cacheShape, description: 'Response cache for identical requests.' },
  responses: {
    shape: responsesShape,
    description:
      'Stored responses of the Responses API; `false` stores none. Default: in Redis, else in the database, else in memory.',
  },
  idempotency: { shape: flag, description: 'Whether to honour `Idempotency-Key`. Default: no.' },
  hooks: {
    shape: hooksShape,
    description: 'Hooks that read, change or refuse requests and responses, in their order. Default: none.',
  },
  telemetry: { shape: telemetryShape, description: 'Request log, metrics and traces.' },
  log: {
    shape: logShape,
    description: 'Request log in the database of `state`: one row per request. Default: off.',
  },
  alerts: { shape: alertsShape, description: 'Alerts by webhook. Default: none.' },
  console: { shape: consoleShape, description: 'The console at `/console/`. Default: off.' },
  validation: {
    shape: choice('schema', 'live'),
    description:
      '`schema` checks types and ranges; `live` adds the rules that hosted services enforce. Default `schema`.',
  },
  unknownParameters: {
    shape: choice('pass', 'reject'),
    description: 'What to do with fields that are not part of the protocol. Default `pass`.',
  },
  unsupportedParameters: {
    shape: choice('refuse', 'drop'),
    description:
      'What to do with a parameter that the vendor does not support and that changes the answer. Default `refuse`.',
  },
  traceHeader: {
    shape: flag,
    description: 'Whether to send the routing trace to callers, in `x-sluice-trace`. Default: no.',
  },
  metadataTags: {
    shape: list(text('a name of 1 to 64 characters', /^.{1,64}$/s), { max: 8, of: 'names' }),
    description:
      'Names of the `metadata` of requests that the ledger stores as tags: `feature` is the tag `metadata.feature`. Default: none.',
  },
  exposesCost: {
    shape: flag,
    description:
      'Whether answers have their cost in US dollars: `usage.cost`, and the header `x-sluice-cost`. Default: no.',
  },
  clientRequestId: {
    shape: either(
      [
        // Of a variable, `true` is a text.
        { when: value => typeof value === 'boolean' || value === 'true' || value === 'false', shape: flag },
        { when: value => typeof value === 'string', shape: text() },
      ],
      'true, false or the name of a header',
    ),
    description:
      "The request header with the caller's own id, which is logged and sent back as `x-client-request-id`; `true`: `x-request-id`. Default: none.",
  },
  maxAttempts: { shape: count, description: 'Maximum number of upstream calls of a request. Default 3.' },
  maxInFlight: {
    shape: count,
    description:
      'Maximum number of requests in flight; further ones are rejected with 503. Default: no limit.',
  },
  requestLimits: { shape: requestLimitsShape, description: 'Limits of request bodies.' },
  timeouts: { shape: timeoutsShape, description: 'Deadlines, in milliseconds.' },
  stream: { shape: streamShape, description: 'Timing of streamed responses, in milliseconds.' },
  retry: { shape: retryShape, description: 'Retries; `false` turns them off.' },
  breaker: { shape: breakerShape, description: 'Circuit breaker of each target; `false` turns it off.' },
} satisfies Readonly<Record<string, Member>>

/** All settings, including those for TypeScript only. */
export const configShape = object<TypedConfig>(
  {
    ...configMembers,
    observe: { shape: callable('a function, in a TypeScript configuration') },
    gateway: {
      shape: {
        read: (value, location) => {
          if (!isPlainObject(value)) return location.reject(value, 'options of createGateway')
          for (const [name, other] of Object.entries(elsewhere)) {
            if (value[name] === undefined) continue
            location.at(name).add({ got: 'an option that belongs elsewhere', expected: `${other} instead` })
          }
          return value
        },
        schema: () => ({ not: {} }),
      },
    },
  },
  'an object with models, such as { models: { ... } }',
)
