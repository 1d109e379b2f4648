import {
  type BodyEdit,
  type NativeCall,
  type NativeRequestBody,
  type Provider,
  spliceJsonBody,
} from '@sluice/core/provider'
import { plainHeaders } from '../anthropic/native-headers.ts'
import { decodeCount } from '../wire/decode-count.ts'
import { parseErrorResponse } from '../wire/upstream-error-response.ts'

/** The fields of a response that its tokens depend on. The API refuses a count with any other. */
const counted: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'truncation',
])

/** Returns the JSON text of a caller's body, without what the API refuses in a request to count its tokens. */
function inputTokensBody(call: NativeCall): NativeRequestBody {
  const { body } = call.request
  const edited = call.edits.flatMap(({ path: [name] }) => (typeof name === 'string' ? [name] : []))
  const names = [...new Set([...Object.keys(body), ...edited])]
  const removed = names.filter(name => !counted.has(name))
  const own = removed.map((name): BodyEdit => ({ path: [name], value: undefined }))
  if (body.model !== call.model) own.push({ path: ['model'], value: call.model })
  return spliceJsonBody(call, [...call.edits, ...own])
}

/** Returns the codec of a server that counts tokens at a URL, for requests that are passed on. */
export function inputTokensCodec(
  url: string,
  headersOf: (call: NativeCall) => Readonly<Record<string, string>>,
): NonNullable<Provider['count']> {
  return {
    encodeNative: call => ({
      method: 'POST',
      url,
      // The count is no stream, whatever the request asks for.
      headers: { ...plainHeaders(call), accept: 'application/json', ...headersOf(call) },
      body: inputTokensBody(call),
    }),
    decode: response => decodeCount(response, 'input_tokens', parseErrorResponse),
  }
}
