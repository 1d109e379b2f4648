import type { JsonObject } from '../../protocol/chat.ts'
import type { DescribedRules } from '../../validation/json-schema-of.ts'
import { maxKeyLength, maxPairs, pairsFault, tokenFault, tokenId } from '../../validation/settings-schema.ts'
import { silenceFault, urlFault } from './message-schema.ts'
import { unknownOptionFault } from './option-schemas.ts'

/** What each rule that is a function asks, in JSON Schema, as far as that has the words. */
export const describedRules: DescribedRules = new Map<unknown, JsonObject>([
  // JSON Schema knows no flag for either case.
  [urlFault, { pattern: '^([hH][tT][tT][pP][sS]?://|[dD][aA][tT][aA]:)' }],
  [
    silenceFault,
    { anyOf: ['content', 'tool_calls', 'function_call', 'refusal', 'audio'].map(name => said(name)) },
  ],
  [pairsFault, { maxProperties: maxPairs, propertyNames: { maxLength: maxKeyLength } }],
  [tokenFault, { propertyNames: { pattern: tokenId.source } }],
  [unknownOptionFault, { additionalProperties: false }],
])

/** The member is there; only a `content` may be there as `null`. */
function said(name: string): JsonObject {
  const there = { required: [name] }
  return name === 'content' ? there : { ...there, properties: { [name]: { not: { type: 'null' } } } }
}
