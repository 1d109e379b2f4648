import { answerSchemas } from '../dialects/chat/answer-schemas.ts'
import { requestSchemas } from '../dialects/chat/request-json-schema.ts'
import { completionSchemas } from '../dialects/completions/json-schemas.ts'
import { embeddingsSchemas } from '../dialects/embeddings/json-schemas.ts'
import { messagesSchemas } from '../dialects/messages/json-schemas.ts'
import { moderationSchemas } from '../dialects/moderations/json-schemas.ts'
import { rerankJsonSchemas } from '../dialects/rerank/json-schemas.ts'
import { responsesSchemas } from '../dialects/responses/json-schemas.ts'
import { GatewayError } from '../errors/errors.ts'
import type { Endpoint } from '../gateway/with-endpoints.ts'
import { pathOf } from '../http/endpoint.ts'
import { digestOf } from '../primitives/sha256.ts'
import type { JsonObject } from '../protocol/chat.ts'
import {
  cancelResponse,
  completeChat,
  countInputTokens,
  countMessageTokens,
  createCompletion,
  createEmbeddings,
  createMessage,
  createModeration,
  createRerank,
  createResponse,
  deleteResponse,
  headerSchemas,
  listInputItems,
  listModels,
  retrieveModel,
  retrieveResponse,
} from './operations.ts'

interface Written {
  readonly server: string
  readonly text: string
  readonly etag: string
}

/**
 * Serves the OpenAPI document of a gateway at `/openapi.json`: `withEndpoints(gateway, [openApi()])`. It needs no
 * authentication, and contains no models, keys or vendors. The default `server` is the mount of the request.
 *
 * Throws what `openApiDocument` throws.
 */
export function openApi(options: OpenApiOptions = {}): Endpoint {
  const document = openApiDocument(options)
  const { basePath: base = '/v1' } = options
  // Nearly all requests of a process use the same mount.
  let last: Written | undefined

  const writtenFor = async (server: string): Promise<Written> => {
    if (last?.server === server) return last
    const text = JSON.stringify(server === '' ? document : { ...document, servers: [{ url: server }] })
    last = { server, text, etag: `"${(await digestOf(text)).slice(0, 32)}"` }
    return last
  }

  return {
    matches: path => path === '/openapi.json',
    fetch: async (request, path) => {
      const { method } = request
      if (method !== 'GET' && method !== 'HEAD') return methodNotSupported(method, path)
      const server = options.server ?? serverOf(pathOf(request.url), path, base)
      const { text, etag } = await writtenFor(server)
      const headers = {
        'content-type': 'application/json',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        etag,
      }
      if (isKnown(request.headers.get('if-none-match'), etag))
        return new Response(null, { status: 304, headers })
      return new Response(method === 'HEAD' ? null : text, { headers })
    },
  }
}

/** Returns the mount of a request: the part of its path before the base path, which may be its end. */
function serverOf(asked: string, path: string, base: string): string {
  const mount = asked.endsWith(path) ? asked.slice(0, -path.length) : ''
  return mount.endsWith(base) ? mount.slice(0, -base.length) : mount
}

function isKnown(given: string | null, etag: string): boolean {
  return given?.split(',').some(tag => ['*', etag, `W/${etag}`].includes(tag.trim())) ?? false
}

function methodNotSupported(method: string, path: string): Response {
  return new GatewayError('method_not_supported', {
    message: `Not allowed to ${method} on ${path}. (HINT: Perhaps you meant to use a different HTTP method?)`,
    headers: { allow: 'GET, HEAD' },
  }).toResponse()
}

/** The options of the OpenAPI document. */
export interface OpenApiOptions {
  /** The `validation` of the gateway. Default: `schema`. */
  readonly validation?: 'schema' | 'live' | undefined
  /** The `unknownParameters` of the gateway. Default: `pass`. */
  readonly unknownParameters?: 'pass' | 'reject' | undefined
  /** The `basePath` of the gateway. Default: `/v1`. */
  readonly basePath?: string | undefined
  /**
   * The URL before `basePath`, absolute or from the root: `https://ai.example.com`, `/api/ai`. Absent: where the document
   * is.
   */
  readonly server?: string | undefined
  /** The name of the service. Default `Chat completions`. */
  readonly title?: string | undefined
  /** The version of the service. Default `1`. */
  readonly version?: string | undefined
}

/** An OpenAPI 3.1 document, as an object for `JSON.stringify`. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly info: JsonObject
  readonly servers?: readonly JsonObject[]
  readonly security: readonly JsonObject[]
  readonly paths: Readonly<Record<string, JsonObject>>
  readonly components: JsonObject & {
    readonly schemas: Readonly<Record<string, JsonObject>>
    readonly headers: Readonly<Record<string, JsonObject>>
  }
}

/**
 * Returns the OpenAPI 3.1 document of a gateway, with JSON Schema 2020-12: its requests, responses, errors and headers. The
 * request schemas are those that validate requests. Set `validation` and `unknownParameters` to those of the gateway. Rules
 * that span fields are not included.
 *
 * Throws `TypeError` for a `basePath` that no gateway can have.
 */
export function openApiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  const { basePath: base = '/v1', server, title = 'Chat completions', version = '1' } = options
  if (!/^(\/[\w.~-]+)+$/.test(base)) {
    throw new TypeError(
      `openApiDocument: got basePath '${base}', expected that of the gateway, such as '/v1'.`,
    )
  }
  const { validation = 'schema', unknownParameters = 'pass' } = options
  return {
    openapi: '3.1.1',
    info: { title, version },
    ...(server === undefined ? {} : { servers: [{ url: server }] }),
    security: [{ key: [] }, { apiKey: [] }],
    paths: {
      [`${base}/chat/completions`]: { post: completeChat() },
      [`${base}/messages`]: { post: createMessage() },
      [`${base}/messages/count_tokens`]: { post: countMessageTokens() },
      [`${base}/responses`]: { post: createResponse() },
      [`${base}/responses/{response}`]: { get: retrieveResponse(), delete: deleteResponse() },
      [`${base}/responses/{response}/cancel`]: { post: cancelResponse() },
      [`${base}/responses/{response}/input_items`]: { get: listInputItems() },
      [`${base}/responses/input_tokens`]: { post: countInputTokens() },
      [`${base}/embeddings`]: { post: createEmbeddings() },
      [`${base}/rerank`]: { post: createRerank() },
      [`${base}/moderations`]: { post: createModeration() },
      [`${base}/completions`]: { post: createCompletion() },
      [`${base}/models`]: { get: listModels() },
      [`${base}/models/{model}`]: { get: retrieveModel() },
    },
    components: {
      schemas: {
        ...requestSchemas({ validation, unknownParameters }),
        ...answerSchemas(),
        ...messagesSchemas(unknownParameters),
        ...responsesSchemas(validation, unknownParameters),
        ...embeddingsSchemas(unknownParameters),
        ...rerankJsonSchemas(unknownParameters),
        ...moderationSchemas(unknownParameters),
        ...completionSchemas(unknownParameters),
      },
      headers: headerSchemas,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
      },
    },
  }
}
