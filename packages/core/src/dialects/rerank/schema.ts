import type * as z from 'zod/mini'
import { type Fields, fieldsFrom } from '../../validation/check-fields.ts'
import { either, list, object, type SchemaIssue, where } from '../../validation/container-schemas.ts'
import { flag, integer, text } from '../../validation/scalar-schemas.ts'

/** Maximum number of documents of a request. */
const maxDocuments = 1_000

const emptyQuery: SchemaIssue = {
  reason: 'empty_string',
  message: path =>
    `Invalid '${path}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
}

/** Rejects an empty query, to which nothing is relevant. */
export function emptyQueryIssue(value: string): SchemaIssue | undefined {
  return value === '' ? emptyQuery : undefined
}

/** A text, or an object with the text, as in the first version of the API. */
const aDocument = either('one of a string or object', { string: text(), object: object({ text: text() }) })

/** The fields of a request to rank documents, in the order in which their errors are reported. None accepts `null`. */
export const rerankSchemas = {
  model: text(),
  query: where(text(), emptyQueryIssue),
  documents: list(aDocument, 'an array of documents', 1, maxDocuments),
  top_n: integer(1, Number.MAX_SAFE_INTEGER),
  return_documents: flag(),
} satisfies Readonly<Record<string, z.ZodMiniType>>

let fields: Fields | undefined

/** The fields of a request, prepared on first use. */
export function rerankFields(): Fields {
  fields ??= fieldsFrom(rerankSchemas)
  return fields
}
