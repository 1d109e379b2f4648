import type { BodyEdit, Call, CountReply, NativeCall, UpstreamResponse } from '@sluice/core/provider'
import { decodeCount } from '../wire/decode-count.ts'
import type { Fields } from '../wire/json-value.ts'
import { parseMessagesError } from './errors.ts'
import { nativeText } from './native-body.ts'
import { requestBody } from './request-body.ts'

/** The fields of a message that its tokens depend on. The API refuses a count with any other. */
const counted: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
  'context_management',
  'mcp_servers',
])

/** The fields of a message that its tokens do not depend on. */
const uncounted = [
  'max_tokens',
  'stream',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'metadata',
  'service_tier',
  'container',
  'inference_geo',
]

/** Returns the body of a request to count the tokens of a message. Throws what `requestBody` throws. */
export function countBody(call: Call, given?: Parameters<typeof requestBody>[2]): Fields {
  const { body } = requestBody(call, {}, given)
  return Object.fromEntries(Object.entries(body).filter(([name]) => counted.has(name)))
}

/**
 * Returns the caller's body of such a request, without what the API refuses in it.
 *
 * @param own - the edits of the provider.
 */
export function nativeCountBody(call: NativeCall, own: readonly BodyEdit[], keepsBilling: boolean): string {
  const { body } = call.request
  const present = uncounted.filter(name => Object.hasOwn(body, name) || isEdited(call, name))
  const removed = present.map((name): BodyEdit => ({ path: [name], value: undefined }))
  return nativeText(call, [...own, ...removed], keepsBilling).body
}

/** An override of the target's. */
function isEdited({ edits }: NativeCall, name: string): boolean {
  return edits.some(({ path }) => path[0] === name)
}

/** Decodes the response. Throws `UpstreamError`. */
export function decodeTokenCount(response: UpstreamResponse): Promise<CountReply> {
  return decodeCount(response, 'input_tokens', parseMessagesError)
}
