import type * as z from 'zod/mini'
import { type Fields, fieldsFrom } from '../../validation/check-fields.ts'
import { either, list, type SchemaIssue, where } from '../../validation/container-schemas.ts'
import { checkerOf, fastSchema, type Schema } from '../../validation/fast-schema.ts'
import { integer, oneOf, text } from '../../validation/scalar-schemas.ts'

/** Maximum number of inputs of a request. */
const maxInputs = 2_048

const largest = Number.MAX_SAFE_INTEGER

const inputText = where(text(), emptyTextIssue)

/** The ids of a tokenizer are known to the vendor only. */
const inputTokens = list(integer(0, largest), 'an array of integers', 1)

const texts = list(inputText, 'an array of strings', 1, maxInputs)
const tokenLists = list(inputTokens, 'an array of arrays of integers', 1, maxInputs)

/** An array of texts, of token ids or of arrays of token ids: the first item decides. */
const inputItems: Schema<string[] | number[] | number[][]> = fastSchema(
  { either: [texts, inputTokens, tokenLists] },
  (value, issues) => {
    const first: unknown = (value as readonly unknown[])[0]
    if (first === undefined || typeof first === 'string') checkTexts(value, issues)
    else if (typeof first === 'number') checkTokens(value, issues)
    else if (Array.isArray(first)) checkTokenLists(value, issues)
    else {
      const message = 'one of a string, integer or array of integers'
      issues.push({ code: 'invalid_type', expected: 'custom', input: first, message, path: [0] })
    }
  },
)

const checkTexts = checkerOf(texts)
const checkTokens = checkerOf(inputTokens)
const checkTokenLists = checkerOf(tokenLists)

/** Rejects an empty text, which has no embedding. */
export function emptyTextIssue(value: string): SchemaIssue | undefined {
  return value === '' ? emptyText : undefined
}

const emptyText: SchemaIssue = {
  reason: 'empty_string',
  message: path =>
    `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
}

/** What the expected type of `input` is called in errors. */
export const inputTypeName = 'one of a string or array'

/** The fields of a request for embeddings, in the order in which their errors are reported. None accepts `null`. */
export const embeddingSchemas = {
  model: text(),
  input: either(inputTypeName, { string: inputText, array: inputItems }),
  encoding_format: oneOf(['float', 'base64']),
  // Its least value is checked apart, as hosted services have an error of their own for it.
  dimensions: integer(-largest, largest),
  user: text(),
} satisfies Readonly<Record<string, z.ZodMiniType>>

let fields: Fields | undefined

/** The fields of a request, prepared on first use. */
export function embeddingFields(): Fields {
  fields ??= fieldsFrom(embeddingSchemas)
  return fields
}
