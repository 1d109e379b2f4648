import { answerSchemas } from '../dialects/chat/answer-schemas.ts'
import { type RequestProfile, requestSchemas } from '../dialects/chat/request-json-schema.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { completeChat, describedHeaders, listModels, retrieveModel } from './operations.ts'

/** What the document says of a service. */
export interface OpenApiOptions extends Partial<RequestProfile> {
  /** The gateway's own `base`, where it has another than `/v1`. */
  readonly base?: string
  /** The URL before the base, absolute or from the root: `https://ai.example.com`, `/api/ai`. Absent: where the document is. */
  readonly server?: string
  /** The name of the service. Default `Chat completions`. */
  readonly title?: string
  /** The version of the service. Default `1`. */
  readonly version?: string
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
 * Describes a gateway in OpenAPI 3.1, with JSON Schema 2020-12: its requests by the very schemas that check them, its
 * answers, its refusals and its headers. `validation` and `unknownParameters` are those of the gateway. Rules that span
 * fields are not described.
 *
 * Throws `TypeError` for a base that no gateway can have.
 */
export function openApiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  const { base = '/v1', server, title = 'Chat completions', version = '1' } = options
  if (!/^(\/[\w.~-]+)+$/.test(base)) {
    throw new TypeError(`openApiDocument: got base '${base}', expected that of the gateway, such as '/v1'.`)
  }
  const { validation = 'schema', unknownParameters = 'pass' } = options
  return {
    openapi: '3.1.1',
    info: { title, version },
    ...(server === undefined ? {} : { servers: [{ url: server }] }),
    security: [{ key: [] }],
    paths: {
      [`${base}/chat/completions`]: { post: completeChat() },
      [`${base}/models`]: { get: listModels() },
      [`${base}/models/{model}`]: { get: retrieveModel() },
    },
    components: {
      schemas: { ...requestSchemas({ validation, unknownParameters }), ...answerSchemas() },
      headers: describedHeaders,
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
  }
}
