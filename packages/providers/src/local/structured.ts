import type { ChatRequest, JsonValue } from '@sluice/core'
import { findFields } from './extraction.ts'
import { generateValue } from './generate-value.ts'
import type { Hints } from './hints.ts'
import { readInstruction } from './instruction.ts'
import type { Prompt } from './prompt.ts'
import { Refused } from './refused.ts'
import { Unsatisfiable } from './unsatisfiable.ts'

type JsonSchemaFormat = Extract<ChatRequest['response_format'], { type: 'json_schema' }>

/**
 * JSON text that is valid against the schema of a `response_format`. Throws `Refused` (400) where the local
 * provider can make no such value.
 */
export function structuredAnswer({ json_schema: { name, schema } }: JsonSchemaFormat, hints: Hints): string {
  try {
    return JSON.stringify(generateValue(schema ?? true, { hints, optional: 'all' }))
  } catch (error) {
    if (!(error instanceof Unsatisfiable)) throw error
    throw new Refused({
      status: 400,
      message: `Invalid schema for response_format '${name}': ${error.message}`,
      param: 'response_format',
    })
  }
}

/** A JSON object in answer to any text: the fields found in it, or else what would have been said in words. */
export function objectAnswer(prompt: Prompt, reply: () => string): string {
  const made: Record<string, JsonValue> = Object.create(null)
  const subject = readInstruction(prompt.text).subject
  if (subject !== undefined) for (const [key, value] of findFields(subject.slice(0, 5_000))) made[key] = value
  if (Object.keys(made).length === 0) made.answer = reply()
  return JSON.stringify(made)
}
