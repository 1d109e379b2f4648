import * as z from 'zod/mini'
import type { JsonObject } from '../../protocol/chat.ts'
import { componentsPath } from '../../validation/json-schema-of.ts'
import * as answers from './answer-schemas.ts'
import { chunk } from './chunk-schemas.ts'

const named = {
  ChatCompletion: answers.completion,
  ChatCompletionChunk: chunk,
  Usage: answers.usage,
  Logprobs: answers.logprobs,
  CalledTool: answers.calledTool,
  Error: answers.errorBody,
  Model: answers.modelCard,
  ModelList: answers.modelList,
}

/** The named schemas of the answers. Their objects may have further members one day: none is closed. */
export function answerSchemas(): Record<string, JsonObject> {
  const registry = z.registry<{ readonly id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: id => componentsPath + id })
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema as JsonObject]),
  )
}

/** Refers to an answer's schema. */
export function answerReference(name: keyof typeof named): JsonObject {
  return { $ref: componentsPath + name }
}
