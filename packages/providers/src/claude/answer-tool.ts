import type { ChatRequest, JsonObject } from '@sluice/core/provider'
import { holdsMap } from './structured-outputs.ts'
import { isInputSchema } from './tools.ts'

/** The description of the answer tool, if the caller's schema has none. */
export const answerToolDescription = 'Gives the answer to the user. Call it once, with the whole answer.'

/** The schema that the answer has to follow; `undefined` where none is given. */
export function requestedSchema({ response_format: format }: ChatRequest): JsonObject | undefined {
  return format?.type === 'json_schema' ? format.json_schema.schema : undefined
}

/**
 * Whether a model's answer can follow a schema by itself: the model has structured outputs, and no part of the answer
 * would be lost by them, unless the schema cannot be a tool's either.
 *
 * @param forcible - the model takes a tool that it has to call.
 */
export function isAnswerFormat(schema: JsonObject, structuredOutputs: boolean, forcible: boolean): boolean {
  return structuredOutputs && (!forcible || !isInputSchema(schema) || !holdsMap(schema))
}

/** Returns a name for a tool of the gateway's own that none of the caller's tools has. */
export function freeToolName({ tools }: ChatRequest): string {
  const taken = new Set(tools?.map(tool => (tool.type === 'function' ? tool.function.name : '')))
  let name = 'json'
  for (let count = 2; taken.has(name); count++) name = `json_${count}`
  return name
}
