import type { Gateway } from '@sluice/core'
import { type OpenApiDocument, openApiDocument } from '@sluice/core/openapi'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { expect } from 'vitest'

const document = openApiDocument()

interface Described {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, { readonly schema: object; readonly examples?: object }>>
}

/** One of the document's operations, such as `POST /v1/chat/completions`. */
export interface Operation {
  readonly responses: Readonly<Record<string, Described>>
}

export const operations: Readonly<Record<string, Operation>> = Object.fromEntries(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      operation as unknown as Operation,
    ]),
  ),
)

/** A validator of one schema of a document, which stands in for all that it refers to. */
export function validator(
  { components }: Pick<OpenApiDocument, 'components'>,
  schema: object,
): ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  return ajv.compile({ ...schema, components })
}

/** Returns a function that returns validators of schemas of a document, and compiles each schema once. */
export function validatorsOf(
  document: Pick<OpenApiDocument, 'components'>,
): (schema: object) => ValidateFunction {
  const compiled = new Map<string, ValidateFunction>()
  return schema => {
    const key = JSON.stringify(schema)
    const validate = compiled.get(key) ?? validator(document, schema)
    compiled.set(key, validate)
    return validate
  }
}

/** The document stays open to members of later versions; here an answer may have no member that it does not name. */
const closed = JSON.parse(JSON.stringify(document), (_, value) =>
  value?.properties !== undefined && value.type === 'object' && value.additionalProperties === undefined
    ? { ...value, additionalProperties: false }
    : value,
) as OpenApiDocument

const closedValidator = validatorsOf(closed)

function expectDescribed(schema: object, value: unknown): void {
  const validate = closedValidator(schema)
  expect(validate(value), `${JSON.stringify(validate.errors)} in ${JSON.stringify(value)}`).toBe(true)
}

const headersOf: Readonly<Record<string, { readonly required?: true }>> = document.components.headers

/** Asks a gateway, and sees that what it answers is what the document says. Gives the status and the text. */
export async function askDescribed({ fetch }: Gateway, operation: string, request: Request) {
  const response = await fetch(request)
  const text = await response.text()
  const { status } = response
  const described = operations[operation]?.responses[status]
  if (described === undefined) throw new Error(`${operation} does not describe ${status}: ${text}`)
  expectHeaders(response.headers, Object.keys(described.headers ?? {}))
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const content = described.content?.[type]
  if (content === undefined) throw new Error(`${operation} does not describe ${type}`)
  if (type === 'text/event-stream') expectEvents(content.schema, text)
  else expectDescribed(content.schema, JSON.parse(text))
  if (status >= 400) expectAmong(content.examples ?? {}, JSON.parse(text))
  return { status, text, headers: response.headers }
}

/** Those that are always there are, and no other is told than the document says. */
function expectHeaders(headers: Headers, described: readonly string[]): void {
  for (const [name, { required }] of Object.entries(headersOf)) {
    const told = headers.has(name)
    if (told) expect(described, name).toContain(name)
    else expect(required === true && described.includes(name), `${name} is missing`).toBe(false)
  }
}

function expectEvents(schema: object, text: string): void {
  const events = text.split('\n\n').slice(0, -1)
  for (const event of events) {
    expect(event).toMatch(/^(?:(?:event: [\w.]+\n)?data: |: )/)
    const data = event.slice(event.indexOf('data: ') + 'data: '.length)
    if (event.startsWith(':') || data === '[DONE]') continue
    expectDescribed(schema, JSON.parse(data))
  }
}

/** Type and code of a refusal are those of one of the examples of its status. */
function expectAmong(examples: object, { error }: { error: { type: string; code?: string | null } }): void {
  const known = Object.values(examples).map(({ value }) => `${value.error.type} ${value.error.code}`)
  expect(known).toContain(`${error.type} ${error.code}`)
}
