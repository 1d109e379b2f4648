import { answerReference } from '../dialects/chat/answer-schemas.ts'
import { requestReference } from '../dialects/chat/request-json-schema.ts'
import { completionReferences } from '../dialects/completions/json-schemas.ts'
import { embeddingsReference, embeddingsRequestReference } from '../dialects/embeddings/json-schemas.ts'
import { messagesError } from '../dialects/messages/error.ts'
import { messagesReference } from '../dialects/messages/json-schemas.ts'
import { limitHeaderPrefix, requestIdHeader, versionHeader } from '../dialects/messages/wire-names.ts'
import { moderationReferences } from '../dialects/moderations/json-schemas.ts'
import { rerankError } from '../dialects/rerank/dialect.ts'
import { rerankReferences } from '../dialects/rerank/json-schemas.ts'
import { responsesError } from '../dialects/responses/error.ts'
import { responsesReference } from '../dialects/responses/json-schemas.ts'
import { type ErrorReason, errorTable, GatewayError } from '../errors/errors.ts'
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

/** `POST /rerank`. */
export function createRerank(): JsonObject {
  return {
    operationId: 'createRerank',
    summary: 'Ranks documents by how relevant they are to a query.',
    parameters: requestHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: rerankReferences.request } },
    },
    responses: {
      200: {
        description: 'The documents by relevance.',
        headers: headersOfCall(200),
        content: { 'application/json': { schema: rerankReferences.answer } },
      },
      ...errorResponses(callErrors, headersOfCall, rerankErrors),
    },
  }
}

/** `POST /moderations`. */
export function createModeration(): JsonObject {
  return {
    operationId: 'createModeration',
    summary: 'Classifies texts and images by whether they are harmful.',
    parameters: requestHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: moderationReferences.request } },
    },
    responses: {
      200: {
        description: 'One result for each text.',
        headers: headersOfCall(200),
        content: { 'application/json': { schema: moderationReferences.answer } },
      },
      ...errorResponses(callErrors, headersOfCall),
    },
  }
}

/** `POST /completions`. */
export function createCompletion(): JsonObject {
  return {
    operationId: 'createCompletion',
    summary: 'Completes texts, whole or as a stream of events.',
    parameters: requestHeaders,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: completionReferences.request } },
    },
    responses: {
      200: {
        description: 'The completions.',
        headers: headersOfCall(200),
        content: {
          'application/json': { schema: completionReferences.answer },
          'text/event-stream': {
            schema: {
              description:
                'The `data` of one event, with `stream: true`. The last event is `[DONE]`; an answer that breaks off ends with an error instead.',
              oneOf: [completionReferences.answer, answerReference('Error')],
            },
          },
        },
      },
      ...errorResponses(callErrors, headersOfCall),
    },
  }
}

/** `POST /messages`. */
export function createMessage(): JsonObject {
  return {
    operationId: 'createMessage',
    summary: 'Answers a conversation in the Messages API, complete or as a stream of events.',
    parameters: requestHeaders,
    requestBody: {
      required: true,
      description: 'Models of vendors that speak the Messages API accept more than this schema.',
      content: { 'application/json': { schema: messagesReference('MessagesRequest') } },
    },
    responses: {
      200: {
        description: 'The message.',
        headers: headersOfMessages(200),
        content: {
          'application/json': { schema: messagesReference('MessagesResponse') },
          'text/event-stream': {
            schema: {
              description:
                'The `data` of one event, with `stream: true`. The last event is `message_stop`, or an error.',
              ...messagesReference('MessagesEvent'),
            },
          },
        },
      },
      ...errorResponses(callErrors, headersOfMessages, messagesErrors),
    },
  }
}

/** `POST /messages/count_tokens`. */
export function countMessageTokens(): JsonObject {
  return {
    operationId: 'countMessageTokens',
    summary: 'Counts the tokens of the prompt of a message.',
    requestBody: {
      required: true,
      content: { 'application/json': { schema: messagesReference('MessagesCountRequest') } },
    },
    responses: {
      200: {
        description: 'The number of tokens.',
        headers: headersOfMessages(200),
        content: { 'application/json': { schema: messagesReference('MessagesTokenCount') } },
      },
      ...errorResponses(callErrors, headersOfMessages, messagesErrors),
    },
  }
}

/** `POST /responses`. */
export function createResponse(): JsonObject {
  return {
    operationId: 'createResponse',
    summary: 'Answers a conversation in the Responses API, complete or as a stream of events.',
    parameters: requestHeaders,
    requestBody: {
      required: true,
      description: 'Models of vendors that speak the Responses API accept more than this schema.',
      content: { 'application/json': { schema: responsesReference('ResponsesRequest') } },
    },
    responses: {
      200: {
        description: 'The response.',
        headers: headersOfCall(200),
        content: {
          'application/json': { schema: responsesReference('Response') },
          'text/event-stream': {
            schema: {
              description:
                'The `data` of one event, with `stream: true`. After the last event comes `[DONE]`.',
              ...responsesReference('ResponseEvent'),
            },
          },
        },
      },
      ...errorResponses(callErrors, headersOfCall, responsesErrors),
    },
  }
}

/** `POST /responses/input_tokens`. */
export function countInputTokens(): JsonObject {
  return {
    operationId: 'countInputTokens',
    summary: 'Counts the tokens of the prompt of a response.',
    requestBody: {
      required: true,
      content: { 'application/json': { schema: responsesReference('ResponsesRequest') } },
    },
    responses: {
      200: {
        description: 'The number of tokens.',
        headers: headersOfCall(200),
        content: { 'application/json': { schema: responsesReference('ResponseInputTokens') } },
      },
      ...errorResponses(callErrors, headersOfCall, responsesErrors),
    },
  }
}

const responseId: JsonObject = {
  name: 'response',
  in: 'path',
  required: true,
  description: 'Its id.',
  schema: { type: 'string' },
}

const listParameters: readonly JsonObject[] = [
  responseId,
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
  { name: 'order', in: 'query', schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' } },
  {
    name: 'after',
    in: 'query',
    description: 'The id of the last item of the page before.',
    schema: { type: 'string' },
  },
]

const streamParameters: readonly JsonObject[] = [
  {
    name: 'stream',
    in: 'query',
    description:
      'Sends the events of a response that was created with `background: true` and `stream: true`.',
    schema: { type: 'boolean', default: false },
  },
  {
    name: 'starting_after',
    in: 'query',
    description: 'The `sequence_number` of the last event that the caller has.',
    schema: { type: 'integer', minimum: 0 },
  },
]

/** `GET /responses/{response}`. */
export function retrieveResponse(): JsonObject {
  const parameters = [responseId, ...streamParameters]
  return storedOperation(
    'retrieveResponse',
    'A stored response, as it is now. With `stream=true` its events.',
    responsesReference('Response'),
    parameters,
  )
}

/** `POST /responses/{response}/cancel`. */
export function cancelResponse(): JsonObject {
  return storedOperation(
    'cancelResponse',
    'Cancels a response that runs in the background. One that has ended is returned unchanged.',
    responsesReference('Response'),
    [responseId],
  )
}

/** `DELETE /responses/{response}`. */
export function deleteResponse(): JsonObject {
  const schema = responsesReference('ResponseDeletion')
  return storedOperation('deleteResponse', 'Deletes a stored response.', schema, [responseId])
}

/** `GET /responses/{response}/input_items`. */
export function listInputItems(): JsonObject {
  const summary = 'The items of the request of a stored response.'
  return storedOperation('listInputItems', summary, responsesReference('ResponseItemList'), listParameters)
}

function storedOperation(
  operationId: string,
  summary: string,
  schema: JsonObject,
  parameters: readonly JsonObject[],
): JsonObject {
  return {
    operationId,
    summary,
    parameters,
    responses: {
      200: {
        description: summary,
        headers: headersOfModels(200),
        content: { 'application/json': { schema } },
      },
      ...errorResponses(storedErrors, headersOfModels, responsesErrors),
    },
  }
}

/** `GET /models`. */
export function listModels(): JsonObject {
  return {
    operationId: 'listModels',
    summary: 'The models that the caller may use.',
    parameters: [messagesVersion],
    responses: {
      200: modelsResponse('The models.', 'ModelList'),
      ...errorResponses(listErrors, headersOfModels, modelsErrors),
    },
  }
}

/** `GET /models/{model}`. */
export function retrieveModel(): JsonObject {
  return {
    operationId: 'retrieveModel',
    summary: 'One model.',
    parameters: [
      messagesVersion,
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
      ...errorResponses(modelErrors, headersOfModels, modelsErrors),
    },
  }
}

function modelsResponse(description: string, schema: 'Model' | 'ModelList'): JsonObject {
  return {
    description,
    headers: headersOfModels(200),
    content: {
      'application/json': {
        schema: { oneOf: [answerReference(schema), messagesReference(`Messages${schema}`)] },
      },
    },
  }
}

/** Asks for models in the shape of the Messages API. */
const messagesVersion: JsonObject = {
  name: versionHeader,
  in: 'header',
  description: 'If it is present, the response has the shape of the Messages API.',
  schema: { type: 'string' },
}

/** Errors that no operation of the document returns: unknown paths and methods, and disconnected clients. */
const unanswered: readonly ErrorReason[] = [
  'response_not_found',
  'unknown_url',
  'method_not_supported',
  'websocket_not_supported',
  'client_disconnected',
]

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

/** The errors of stored responses. */
const storedErrors: readonly ErrorReason[] = [
  ...listErrors,
  'invalid_request',
  'invalid_value',
  'response_not_found',
  'response_store_unavailable',
]

/** The errors of one model. */
const modelErrors: readonly ErrorReason[] = [...listErrors, 'model_not_allowed', 'model_not_found']

/** The errors of a protocol. */
interface ErrorShape {
  readonly schema: JsonObject
  readonly statusOf: (name: ErrorReason) => number
  readonly bodyOf: (name: ErrorReason) => JsonObject
}

const chatErrors: ErrorShape = {
  schema: answerReference('Error'),
  statusOf: name => errorTable[name][0],
  bodyOf: name => {
    const [, type, code, message] = errorTable[name]
    return { error: { message, type, param: null, code } }
  },
}

const messagesErrors: ErrorShape = {
  schema: messagesReference('MessagesError'),
  statusOf: name => messagesError(new GatewayError(name), exampleId).status,
  bodyOf: name => messagesError(new GatewayError(name), exampleId).body as JsonObject,
}

const responsesErrors: ErrorShape = {
  schema: answerReference('Error'),
  statusOf: name => responsesError(new GatewayError(name)).status,
  bodyOf: name => responsesError(new GatewayError(name)).body as JsonObject,
}

const rerankErrors: ErrorShape = {
  schema: rerankReferences.error,
  statusOf: name => errorTable[name][0],
  bodyOf: name => rerankError(new GatewayError(name), exampleId).body as JsonObject,
}

const exampleId = 'req_1f2e'

/** Paths of models have errors of both protocols, and their statuses are the same there. */
const modelsErrors: ErrorShape = {
  ...chatErrors,
  schema: { oneOf: [chatErrors.schema, messagesErrors.schema] },
}

/**
 * Returns the error responses by status, with an example of each error. `default` describes other errors, which functions
 * of the operator may throw.
 */
function errorResponses(
  names: readonly ErrorReason[],
  headersOf: (status: number) => JsonObject,
  shape: ErrorShape = chatErrors,
): Record<string, JsonObject> {
  const byStatus = new Map<number, ErrorReason[]>()
  for (const name of names) {
    const status = shape.statusOf(name)
    byStatus.set(status, [...(byStatus.get(status) ?? []), name])
  }
  const answers = Array.from(byStatus, ([status, names]) => [
    status,
    errorResponse(names, headersOf(status), shape),
  ])
  return {
    ...Object.fromEntries(answers),
    default: {
      description: 'Any other refusal.',
      headers: headersOf(0),
      content: { 'application/json': { schema: shape.schema } },
    },
  }
}

function errorResponse(names: readonly ErrorReason[], headers: JsonObject, shape: ErrorShape): JsonObject {
  const { schema, bodyOf } = shape
  const examples = Object.fromEntries(names.map(name => [name, { value: bodyOf(name) }]))
  return {
    description: names.map(name => `\`${name}\`: ${errorTable[name][3]}`).join('\n\n'),
    headers,
    content: { 'application/json': { schema, examples } },
  }
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
  [requestIdHeader]: ['In the Messages API: the id of the request, as `x-request-id`.', 'string'],
  [`${limitHeaderPrefix}-requests-limit`]: [
    'Of the rule for requests that has least left: how many it allows.',
    'integer',
  ],
  [`${limitHeaderPrefix}-requests-remaining`]: ['How many of them are left.', 'integer'],
  [`${limitHeaderPrefix}-requests-reset`]: ['When all of them are there again, as a date.', 'string'],
  [`${limitHeaderPrefix}-tokens-limit`]: [
    'Of the rule for tokens that has least left: how many it allows.',
    'integer',
  ],
  [`${limitHeaderPrefix}-tokens-remaining`]: ['How many of them are left.', 'integer'],
  [`${limitHeaderPrefix}-tokens-reset`]: ['When all of them are there again, as a date.', 'string'],
  'retry-after': ['When to try again, in seconds.', 'integer'],
  'retry-after-ms': ['When to try again, in milliseconds.', 'integer'],
  'x-should-retry': ['Whether a client is to repeat the request by itself.', 'string'],
  'www-authenticate': ['How to authenticate.', 'string', true],
  'idempotency-replayed': ['`true`: this answer was given before, to the same idempotency key.', 'string'],
  'x-sluice-cache': ['Whether the answer is from the cache: `hit` or `miss`.', 'string'],
  'x-sluice-adjustments': ['What was changed for a vendor that lacks it: a list of RFC 9651.', 'string'],
  'x-sluice-cost': [
    'The cost in US dollars, of answers that are not streamed, for callers who may see it.',
    'string',
  ],
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
    return headerReferences([
      ...limitHeaders,
      'idempotency-replayed',
      'x-sluice-cache',
      'x-sluice-cost',
      ...routingHeaders,
    ])
  // These errors occur before limits are checked.
  if (status === 401) return headerReferences(['www-authenticate', 'x-should-retry'])
  if (status === 408) return headerReferences([])
  return headerReferences([...limitHeaders, ...retryHeaders, ...routingHeaders])
}

const messagesLimitHeaders: readonly HeaderName[] = [
  `${limitHeaderPrefix}-requests-limit`,
  `${limitHeaderPrefix}-requests-remaining`,
  `${limitHeaderPrefix}-requests-reset`,
  `${limitHeaderPrefix}-tokens-limit`,
  `${limitHeaderPrefix}-tokens-remaining`,
  `${limitHeaderPrefix}-tokens-reset`,
]

/** Returns the response headers of the Messages API by status. */
function headersOfMessages(status: number): JsonObject {
  if (status === 200) {
    return headerReferences([
      requestIdHeader,
      ...messagesLimitHeaders,
      'idempotency-replayed',
      'x-sluice-cache',
      ...routingHeaders,
    ])
  }
  if (status === 401) return headerReferences([requestIdHeader, 'www-authenticate', 'x-should-retry'])
  if (status === 408) return headerReferences([requestIdHeader])
  return headerReferences([requestIdHeader, ...messagesLimitHeaders, ...retryHeaders, ...routingHeaders])
}

/** Returns the response headers of requests for models by status. */
function headersOfModels(status: number): JsonObject {
  if (status === 200) return headerReferences([requestIdHeader])
  if (status === 401) return headerReferences([requestIdHeader, 'www-authenticate', 'x-should-retry'])
  return headerReferences([requestIdHeader, ...retryHeaders])
}

function headerReferences(names: readonly HeaderName[]): JsonObject {
  const all: readonly HeaderName[] = ['x-request-id', 'x-client-request-id', ...names]
  return Object.fromEntries(all.map(name => [name, { $ref: `#/components/headers/${name}` }]))
}
