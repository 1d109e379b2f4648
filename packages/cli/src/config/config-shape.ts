import type { TypedConfig } from './config.ts'
import { providerShape, providersSchema } from './providers/provider-shape.ts'
import { routeShape } from './routes/route-shape.ts'
import { jwtShape, keysShape } from './sections/callers-shape.ts'
import { consoleShape } from './sections/console-shape.ts'
import {
  abandonedCallsShape,
  breakerShape,
  cacheShape,
  intakeShape,
  pricesShape,
  retryShape,
  streamShape,
  timeoutsShape,
} from './sections/gateway-shapes.ts'
import { limitsShape } from './sections/limit-shape.ts'
import { count } from './sections/numbers.ts'
import { serverShape } from './sections/server-shape.ts'
import { stateShape } from './sections/state-shape.ts'
import { telemetryShape } from './sections/telemetry-shape.ts'
import { isPlainObject, type Member, object, record } from './shape/collections.ts'
import { either } from './shape/either.ts'
import type { Shape } from './shape/shape.ts'
import { choice, flag, text } from './shape/values.ts'

/** A provider stands before the first `/` of a place. */
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
  read: (value, place) => (typeof value === 'function' ? value : place.wrong(value, what)),
  schema: () => ({ not: {} }),
})

/** Log, metrics and console stand on them. */
const elsewhere = { basePath: 'server.basePath', observe: 'observe, beside gateway' }

/** What data can say. */
export const configMembers = {
  $schema: { shape: text(), description: 'Where the JSON Schema is, for editors.' },
  server: { shape: serverShape, description: 'Where the service listens.' },
  providers: {
    shape: { read: providers.read, schema: providersSchema },
    description: "Vendors by the names that routes use. A name that is a vendor's own needs no `type`.",
  },
  models: {
    shape: models,
    description: 'What callers may ask for, and where it is answered.',
    required: true,
  },
  keys: { shape: keysShape, description: 'Callers with keys that stand here.' },
  jwt: { shape: jwtShape, description: 'Callers with tokens of an identity provider.' },
  limits: { shape: limitsShape, description: 'Rules for all callers.' },
  prices: {
    shape: pricesShape,
    description: 'US dollars per million tokens, by model or `provider/model`; or `genai-prices`.',
  },
  abandonedCalls: {
    shape: abandonedCallsShape,
    description:
      'What calls are charged whose answers were cut off before any of them came. Default: what was reserved for them.',
  },
  state: { shape: stateShape, description: 'What outlives the process, or is shared between processes.' },
  cache: { shape: cacheShape, description: 'Finished answers are given again to the same requests.' },
  idempotency: { shape: flag, description: 'Whether `Idempotency-Key` is honoured. Default: no.' },
  telemetry: { shape: telemetryShape, description: 'What is told of requests.' },
  console: { shape: consoleShape, description: 'The page at `/console/`. Default: off.' },
  validation: {
    shape: choice('schema', 'live'),
    description:
      '`schema` checks types and ranges; `live` adds the rules that hosted services enforce. Default `schema`.',
  },
  unknownParameters: {
    shape: choice('pass', 'reject'),
    description: 'Fields that the protocol does not know. Default `pass`.',
  },
  unsupportedParameters: {
    shape: choice('refuse', 'drop'),
    description: 'A parameter that the vendor lacks and that changes the answer. Default `refuse`.',
  },
  traceHeader: {
    shape: flag,
    description: 'Whether callers are told how they were routed, in `x-sluice-trace`. Default: no.',
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
  maxAttempts: { shape: count, description: 'How many calls one request may make. Default 3.' },
  maxInFlight: {
    shape: count,
    description: 'Refuses what comes while so many requests run. Default: none is refused.',
  },
  requestLimits: { shape: intakeShape, description: "Bounds of a request's body." },
  timeouts: { shape: timeoutsShape, description: 'Deadlines, in milliseconds.' },
  stream: { shape: streamShape, description: 'How a streamed answer is paced, in milliseconds.' },
  retry: { shape: retryShape, description: 'How a request is sent again; `false`: never.' },
  breaker: { shape: breakerShape, description: 'When a place that fails is left alone; `false`: never.' },
} satisfies Readonly<Record<string, Member>>

/** All of a configuration, with what only TypeScript can hold. */
export const configShape = object<TypedConfig>(
  {
    ...configMembers,
    observe: { shape: callable('a function, in a TypeScript configuration') },
    gateway: {
      shape: {
        read: (value, place) => {
          if (!isPlainObject(value)) return place.wrong(value, 'options of createGateway')
          for (const [name, other] of Object.entries(elsewhere)) {
            if (value[name] === undefined) continue
            place.at(name).add({ got: 'an option that stands elsewhere', expected: `it as ${other}` })
          }
          return value
        },
        schema: () => ({ not: {} }),
      },
    },
  },
  'an object with models, such as { models: { ... } }',
)
