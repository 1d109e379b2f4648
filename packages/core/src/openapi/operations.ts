import { answerReference } from '../dialects/chat/answer-schemas.ts'
import { requestReference } from '../dialects/chat/request-json-schema.ts'
import { embeddingsReference, embeddingsRequestReference } from '../dialects/embeddings/json-schemas.ts'
import { type ErrorReason, errorTable } from '../errors/errors.ts'
import type { JsonObject } from '../protocol/chat.ts'

/** The request headers of operations that call a model. */
const requestHeaders: readonly JsonObject[] = [
  {
    name: 'idempotency-key',
    in: 'header',
    description: 'Where the service knows idempotency: the same key gives the same answer, and one call.',
    schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  },
  {
    name: 'cache-control',
    in: 'header',
    description: 'Where the service has a cache: `no-cache` asks for a fresh answer, `no-store` keeps none.',
    schema: { type: 'string' },
  },
]

/** `POST /chat/completions`. */
export function completeChat(): JsonObject {
  return {
    operationId: 'createChatCompletion',
    summary: 'Answers a conversation, whole or as a stream of events.',
    parameters: requestHeaders,
    requestBody: {
      required: true,
      description:
        'The schema is that of the protocol. Some models accept more, such as documents and videos by link, or tools of their vendor.',
      content: { 'application/json': { schema: requestReference } },
    },
    responses: {
      200: {
        description: 'The answer.',
        headers: headersOfCall(200),
        content: {
          'application/json': { schema: answerReference('ChatCompletion') },
          'text/event-stream': {
            schema: {
              description:
                'The `data` of one event, with `stream: true`. The last event is `[DONE]`; an answer that breaks off ends with an error instead.',
              oneOf: [answerReference('ChatCompletionChunk'), answerReference('Error')],
            },
          },
        },
      },
      ...errorResponses(callErrors, headersOfCall),
    },
  }
}

/** `POST /embeddings`. */
export function createEmbeddings(): JsonObject {
  return {
    operationId: 'createEmbeddings',
    summary: 'Embeds texts.',
    parameters: requestHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: embeddingsRequestReference } },
    },
    responses: {
      200: {
        description: 'One embedding for each input, in order.',
        headers: headersOfCall(200),
        content: { 'application/json': { schema: embeddingsReference } },
      },
      ...errorResponses(callErrors, headersOfCall),
    },
  }
}

/** `GET /models`. */
export function listModels(): JsonObject {
  return {
    operationId: 'listModels',
    summary: 'The models that the caller may use.',
    responses: {
      200: modelsResponse('The models.', 'ModelList'),
      ...errorResponses(listErrors, headersOfModels),
    },
  }
}

/** `GET /models/{model}`. */
export function retrieveModel(): JsonObject {
  return {
    operationId: 'retrieveModel',
    summary: 'One model.',
    parameters: [
      {
        name: 'model',
        in: 'path',
        required: true,
        description: 'Its id, in which a slash may stand as it is.',
        schema: { type: 'string' },
      },
    ],
    responses: {
      200: modelsResponse('The model.', 'Model'),
      ...errorResponses(modelErrors, headersOfModels),
    },
  }
}

function modelsResponse(description: string, schema: 'Model' | 'ModelList'): JsonObject {
  return {
    description,
    headers: headersOfModels(200),
    content: { 'application/json': { schema: answerReference(schema) } },
  }
}

/** Errors that no operation of the document returns: unknown paths and methods, and disconnected clients. */
const unanswered: readonly ErrorReason[] = ['unknown_url', 'method_not_supported', 'client_disconnected']

/** The errors of operations that call a model. */
const callErrors: readonly ErrorReason[] = (Object.keys(errorTable) as ErrorReason[]).filter(
  name => !unanswered.includes(name),
)

/** The errors of the list of models. */
const listErrors: readonly ErrorReason[] = [
  'missing_api_key',
  'invalid_api_key',
  'server_error',
  'authentication_unavailable',
  'shutting_down',
]

/** The errors of one model. */
const modelErrors: readonly ErrorReason[] = [...listErrors, 'model_not_allowed', 'model_not_found']

/**
 * Returns the error responses by status, with an example of each error. `default` describes other errors, which functions
 * of the operator may throw.
 */
function errorResponses(
  names: readonly ErrorReason[],
  headersOf: (status: number) => JsonObject,
): Record<string, JsonObject> {
  const byStatus = new Map<number, ErrorReason[]>()
  for (const name of names) {
    const status: number = errorTable[name][0]
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  const answers = Array.from(byStatus, ([status, names]) => [status, errorResponse(names, headersOf(status))])
  return {
    ...Object.fromEntries(answers),
    default: {
      description: 'Any other refusal.',
      headers: headersOf(0),
      content: { 'application/json': { schema: answerReference('Error') } },
    },
  }
}

function errorResponse(names: readonly ErrorReason[], headers: JsonObject): JsonObject {
  const examples = Object.fromEntries(names.map(name => [name, { value: bodyOf(name) }]))
  return {
    description: names.map(name => `\`${name}\`: ${errorTable[name][3]}`).join('\n\n'),
    headers,
    content: { 'application/json': { schema: answerReference('Error'), examples } },
  }
}

function bodyOf(name: ErrorReason): JsonObject {
  const [, type, code, message] = errorTable[name]
  return { error: { message, type, param: null, code } }
}

const headerDescriptions = {
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

type HeaderName = keyof typeof headerDescriptions

/** All response headers that callers can use, by lower-case name. */
export const headerSchemas: Readonly<Record<string, JsonObject>> = Object.fromEntries(
  Object.entries(headerDescriptions).map(([name, [description, type, always = false]]) => [
    name,
    { description, ...(always ? { required: true } : {}), schema: { type } },
  ]),
)

const limitHeaders: readonly HeaderName[] = [
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]
const retryHeaders: readonly HeaderName[] = ['retry-after', 'retry-after-ms', 'x-should-retry']

const routingHeaders: readonly HeaderName[] = ['x-sluice-adjustments', 'x-sluice-trace']

/** Returns the response headers of operations that call a model by status. */
function headersOfCall(status: number): JsonObject {
  if (status === 200)
    return headerReferences([...limitHeaders, 'idempotency-replayed', 'x-sluice-cache', ...routingHeaders])
  // These errors occur before limits are checked.
  if (status === 401 || status === 408) return headersOfModels(status)
  return headerReferences([...limitHeaders, ...retryHeaders, ...routingHeaders])
}

/** Returns the response headers of requests for models by status. */
function headersOfModels(status: number): JsonObject {
  if (status === 401) return headerReferences(['www-authenticate', 'x-should-retry'])
  if (status === 403 || status === 404) return headerReferences(['x-should-retry'])
  return headerReferences(status === 503 ? retryHeaders : [])
}

function headerReferences(names: readonly HeaderName[]): JsonObject {
  const all: readonly HeaderName[] = ['x-request-id', 'x-client-request-id', ...names]
  return Object.fromEntries(all.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
