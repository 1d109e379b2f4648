import { Fault } from '../fault.ts'
import {
  anyObject,
  base64,
  type Check,
  decimal,
  flag,
  integer,
  isFields,
  list,
  nullable,
  object,
  oneOf,
  oneOfMembers,
  protoBytes,
  text,
} from '../shape.ts'

const functionName = text(1, 128, /^[a-zA-Z_][a-zA-Z0-9_.:-]*$/)
const mimeType = text(
  1,
  Infinity,
  /^(?:image\/(?:png|jpeg|webp|heic|heif)|audio\/(?:wav|mp3|mpeg|aiff|aac|ogg|flac)|application\/pdf|text\/[\w.-]+)$/,
)

const part = oneOfMembers(
  {
    text: text(),
    inlineData: object({ mimeType, data: base64 }),
    fileData: object({ fileUri: text(1) }, { mimeType: text(1) }),
    functionCall: object({ name: text(1, 128) }, { id: text(), args: anyObject }),
    functionResponse: object({ name: text(1, 128), response: anyObject }, { id: text() }),
  },
  { thought: flag, thoughtSignature: protoBytes, mediaResolution: anyObject },
)

const content = (...roles: readonly string[]): Check =>
  object({ parts: list(part, 1) }, { role: oneOf(...roles) })

/** The part of OpenAPI 3.0 that the field `parameters` or `responseSchema` takes. */
const openApiSchema: Check = (value, path) => {
  const schema = openApiSchema
  object(
    { type: text(1, 10, /^(?:string|number|integer|boolean|array|object|null)$/i) },
    {
      format: text(),
      title: text(),
      description: text(),
      nullable: flag,
      enum: list(text()),
      items: schema,
      properties: (properties, inner) => {
        anyObject(properties, inner)
        for (const [key, each] of Object.entries(properties as object)) schema(each, `${inner}.${key}`)
      },
      required: list(text()),
      propertyOrdering: list(text()),
      minItems: integer(0),
      maxItems: integer(0),
      minProperties: integer(0),
      maxProperties: integer(0),
      minLength: integer(0),
      maxLength: integer(0),
      minimum: decimal(-Infinity, Infinity),
      maximum: decimal(-Infinity, Infinity),
      pattern: text(),
      example: () => {},
      default: () => {},
      anyOf: list(schema, 1),
    },
  )(value, path)
}

const declaration: Check = (value, path) => {
  object(
    { name: functionName },
    { description: text(), parameters: openApiSchema, parametersJsonSchema: anyObject },
  )(value, path)
  if (isFields(value) && value.parameters !== undefined && value.parametersJsonSchema !== undefined) {
    throw new Fault(`${path}: parameters and parameters_json_schema must not be set at the same time`)
  }
}

const generationConfig = object(
  {},
  {
    candidateCount: integer(1, 8),
    stopSequences: list(text(1), 0, 5),
    maxOutputTokens: integer(1),
    temperature: decimal(0, 2),
    topP: decimal(0, 1),
    topK: integer(1),
    seed: integer(-2_147_483_648, 2_147_483_647),
    presencePenalty: decimal(-2, 2),
    frequencyPenalty: decimal(-2, 2),
    responseLogprobs: flag,
    logprobs: integer(0, 20),
    responseMimeType: oneOf('text/plain', 'application/json', 'text/x.enum'),
    responseSchema: openApiSchema,
    responseJsonSchema: anyObject,
    responseModalities: list(oneOf('TEXT', 'IMAGE', 'AUDIO')),
    thinkingConfig: object(
      {},
      {
        includeThoughts: flag,
        thinkingBudget: integer(-1),
        thinkingLevel: text(1, 10, /^(?:minimal|low|medium|high)$/i),
      },
    ),
    mediaResolution: text(1),
  },
)

const fields: Record<string, Check> = {
  systemInstruction: nullable(content('user', 'system', 'model')),
  tools: list(object({ functionDeclarations: list(declaration, 1) }, { codeExecution: oneOf(null) })),
  toolConfig: nullable(
    object(
      {},
      {
        functionCallingConfig: object(
          { mode: oneOf('AUTO', 'ANY', 'NONE', 'VALIDATED') },
          { allowedFunctionNames: list(functionName, 1) },
        ),
      },
    ),
  ),
  safetySettings: nullable(list(anyObject)),
  generationConfig,
  cachedContent: text(1),
}

/** The body of generateContent in the Gemini API. */
export const generateRequest: Check = object(
  { contents: list(content('user', 'model'), 1) },
  { ...fields, serviceTier: oneOf('standard', 'flex', 'priority') },
)

/** The same on Vertex, which wants every content's role and knows labels. */
export const generateRequestOnVertex: Check = (value, path) => {
  object(
    { contents: list(content('user', 'model'), 1) },
    {
      ...fields,
      labels: (labels, inner) => {
        anyObject(labels, inner)
        for (const [key, label] of Object.entries(labels as object)) {
          text(1, 63, /^[a-z][a-z0-9_-]*$/)(key, inner)
          text(0, 63, /^[a-z0-9_-]*$/)(label, `${inner}.${key}`)
        }
      },
    },
  )(value, path)
  for (const [index, { role }] of (value as GenerateRequest).contents.entries()) {
    oneOf('user', 'model')(role, `contents.${index}.role`)
  }
}

export interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly inlineData?: { readonly mimeType: string; readonly data: string }
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: object }
  readonly functionResponse?: { readonly id?: string; readonly name: string; readonly response: object }
}

export interface Content {
  readonly role?: string
  readonly parts: readonly Part[]
}

/** What the checks above let through. */
export interface GenerateRequest {
  readonly contents: readonly Content[]
  readonly systemInstruction?: Content | null
  readonly tools?: readonly {
    readonly functionDeclarations: readonly {
      readonly name: string
      readonly parameters?: object
      readonly parametersJsonSchema?: object
    }[]
  }[]
  readonly toolConfig?: {
    readonly functionCallingConfig?: {
      readonly mode: string
      readonly allowedFunctionNames?: readonly string[]
    }
  } | null
  readonly generationConfig?: {
    readonly candidateCount?: number
    readonly stopSequences?: readonly string[]
    readonly maxOutputTokens?: number
    readonly responseMimeType?: string
    readonly responseSchema?: object
    readonly responseJsonSchema?: object
    readonly thinkingConfig?: {
      readonly includeThoughts?: boolean
      readonly thinkingBudget?: number
      readonly thinkingLevel?: string
    }
  }
}
