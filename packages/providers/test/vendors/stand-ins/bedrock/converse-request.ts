import { Fault } from '../fault.ts'
import {
  anyObject,
  base64,
  type Check,
  decimal,
  type Fields,
  integer,
  list,
  object,
  oneOf,
  oneOfMembers,
  text,
} from '../shape.ts'

const toolName = text(1, 64, /^[a-zA-Z0-9_-]+$/)
const toolUseId = text(1, 64, /^[a-zA-Z0-9_.:-]+$/)

const written: Check = (value, path) => {
  text()(value, path)
  if (String(value).trim() === '') {
    throw new Fault(
      `The text field in the ContentBlock object at ${path} is blank. Add text to the text field.`,
    )
  }
}

const image = object({
  format: oneOf('png', 'jpeg', 'gif', 'webp'),
  source: oneOfMembers({ bytes: base64, s3Location: object({ uri: text(1) }) }),
})

const documentName: Check = (value, path) => {
  text(1, 200, /^[a-zA-Z0-9\s()[\]-]+$/)(value, path)
  if (/\s\s/.test(String(value)))
    throw new Fault(`${path}: no more than one consecutive whitespace character`)
}

const document = object(
  {
    name: documentName,
    source: oneOfMembers({ bytes: base64, s3Location: object({ uri: text(1) }) }),
  },
  { format: oneOf('pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md') },
)

const cachePoint = object({ type: oneOf('default') }, { ttl: oneOf('5m', '1h') })

const inputSchema: Check = (value, path) => {
  anyObject(value, path)
  if ((value as Fields).type !== 'object') {
    throw new Fault(`The value at ${path}.type must be one of the following: object.`)
  }
}

const block = oneOfMembers({
  text: written,
  image,
  document,
  cachePoint,
  toolUse: object({ toolUseId, name: toolName, input: anyObject }),
  toolResult: object(
    {
      toolUseId,
      content: list(oneOfMembers({ text: text(), json: anyObject, image, document })),
    },
    { status: oneOf('success', 'error') },
  ),
  reasoningContent: oneOfMembers({
    reasoningText: object({ text: text() }, { signature: text() }),
    redactedContent: base64,
  }),
})

/** The body of Converse and ConverseStream, as the service model of `bedrock-runtime` has it. */
export const converseRequest: Check = object(
  { messages: list(object({ role: oneOf('user', 'assistant'), content: list(block) })) },
  {
    system: list(oneOfMembers({ text: written, cachePoint })),
    inferenceConfig: object(
      {},
      {
        maxTokens: integer(1),
        temperature: decimal(0, 1),
        topP: decimal(0, 1),
        stopSequences: list(text(1), 0, 2500),
      },
    ),
    toolConfig: object(
      {
        tools: list(
          oneOfMembers({
            toolSpec: object(
              { name: toolName, inputSchema: object({ json: inputSchema }) },
              { description: text(1), strict: oneOf(true, false) },
            ),
            cachePoint,
          }),
          1,
        ),
      },
      {
        toolChoice: oneOfMembers({
          auto: object({}),
          any: object({}),
          tool: object({ name: toolName }),
        }),
      },
    ),
    additionalModelRequestFields: anyObject,
    additionalModelResponseFieldPaths: list(text(1, 256), 0, 10),
    requestMetadata: (value, path) => {
      anyObject(value, path)
      const pairs = Object.entries(value as object)
      if (pairs.length < 1 || pairs.length > 16) throw new Fault(`${path}: Map should have 1 to 16 entries`)
      for (const [key, label] of pairs) {
        text(1, 256, /^[a-zA-Z0-9\s:_@$#=/+,.-]+$/)(key, path)
        text(0, 256, /^[a-zA-Z0-9\s:_@$#=/+,.-]*$/)(label, `${path}.${key}`)
      }
    },
    performanceConfig: object({}, { latency: oneOf('standard', 'optimized') }),
    serviceTier: object({ type: oneOf('priority', 'default', 'flex', 'reserved') }),
    outputConfig: object(
      {},
      {
        textFormat: object({
          type: oneOf('json_schema'),
          structure: oneOfMembers({
            jsonSchema: object({ schema: schemaText }, { name: text(1), description: text(1) }),
          }),
        }),
      },
    ),
  },
)

function schemaText(value: unknown, path: string): void {
  text(1)(value, path)
  try {
    JSON.parse(String(value))
  } catch {
    throw new Fault(`${path}: expected the text of a JSON Schema`)
  }
}

export interface Block {
  readonly text?: string
  readonly image?: { readonly format: string; readonly source: { readonly bytes?: string } }
  readonly document?: {
    readonly name: string
    readonly format?: string
    readonly source: { readonly bytes?: string }
  }
  readonly cachePoint?: object
  readonly toolUse?: { readonly toolUseId: string; readonly name: string; readonly input: object }
  readonly toolResult?: {
    readonly toolUseId: string
    readonly content: readonly { readonly text?: string; readonly json?: object }[]
  }
  readonly reasoningContent?: {
    readonly reasoningText?: { readonly text: string; readonly signature?: string }
    readonly redactedContent?: string
  }
}

/** What the checks above let through. */
export interface ConverseRequest {
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: readonly Block[] }[]
  readonly system?: readonly { readonly text?: string }[]
  readonly inferenceConfig?: {
    readonly maxTokens?: number
    readonly temperature?: number
    readonly topP?: number
    readonly stopSequences?: readonly string[]
  }
  readonly toolConfig?: {
    readonly tools: readonly {
      readonly toolSpec?: { readonly name: string; readonly inputSchema: { readonly json: object } }
    }[]
    readonly toolChoice?: { readonly any?: object; readonly tool?: { readonly name: string } }
  }
  readonly additionalModelRequestFields?: Fields
  readonly outputConfig?: {
    readonly textFormat?: { readonly structure: { readonly jsonSchema: { readonly schema: string } } }
  }
}
