import type { JsonObject } from '@sluice/core'
import { cannotSend } from '../parameters/adjusting.ts'

/**
 * A function's parameters as a tool's `input_schema`: whole, with `type: 'object'` where none was given.
 *
 * Throws `GatewayError` (400) for a schema whose root is no plain object: the vendor takes no other.
 *
 * @param param - where it stands in the caller's request: `tools[0].function.parameters`.
 */
export function inputSchema(parameters: JsonObject | undefined, param: string): JsonObject {
  if (parameters === undefined) return { type: 'object', properties: {} }
  const { type } = parameters
  const combined = combinedBy(parameters)
  if (type !== undefined && type !== 'object') {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' is of type ${JSON.stringify(type)?.slice(0, 60)} at its root, and this model takes only 'object' there.`,
    )
  }
  if (combined !== undefined) {
    throw cannotSend(
      param,
      `Unsupported value: '${param}' has '${combined}' at its root, which this model does not take. Write its properties there, or move it into one of them.`,
    )
  }
  return type === undefined ? { type: 'object', ...parameters } : parameters
}

/** Whether a schema's root is a plain object: what `inputSchema` takes. */
export function isInputSchema(schema: JsonObject): boolean {
  return (schema.type === undefined || schema.type === 'object') && combinedBy(schema) === undefined
}

function combinedBy(schema: JsonObject): string | undefined {
  return ['oneOf', 'anyOf', 'allOf', '$ref'].find(key => schema[key] !== undefined)
}
