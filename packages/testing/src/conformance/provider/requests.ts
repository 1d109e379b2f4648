import type { ChatRequest } from '@sluice/core'
import type { FunctionTool, Message, UserPart } from '@sluice/core/provider'

/** Stands in every message of `requests`: nothing beside a vendor's request may repeat it. */
export const canary = 'canary-5d1f'

const hello: Message = { role: 'user', content: `Hello, ${canary}` }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const weather: FunctionTool = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const call = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Paris"}' },
} as const

/** The request that every provider can express. */
export const plainRequest: ChatRequest = { model: 'public', messages: [hello] }

/** Valid requests that use all of the protocol. No vendor can express each of them. */
export const requests: readonly ChatRequest[] = [
  plainRequest,
  requestWith({ stream: true, stream_options: { include_usage: true } }),
  saying({ role: 'system', content: `Be brief, ${canary}` }, hello),
  saying({ role: 'developer', content: [{ type: 'text', text: canary }] }, hello),
  saying(
    hello,
    { role: 'assistant', content: `Hi, ${canary}` },
    { role: 'user', content: canary, name: 'ann' },
  ),
  saying(hello, { role: 'assistant', content: [{ type: 'refusal', refusal: canary }] }, hello),
  saying({ role: 'user', content: '' }),
  showing({ type: 'image_url', image_url: { url: `data:image/png;base64,${png}`, detail: 'low' } }),
  showing({ type: 'image_url', image_url: { url: 'https://images.invalid/cat.png' } }),
  showing({ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }),
  showing({
    type: 'file',
    file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQK' },
  }),
  showing({ type: 'file', file: { file_id: 'file-1' } }),
  requestWith({ tools: [weather] }),
  requestWith({ tools: [weather], tool_choice: 'required', parallel_tool_calls: false }),
  requestWith({ tools: [weather], tool_choice: 'none' }),
  requestWith({ tools: [weather], tool_choice: { type: 'function', function: { name: 'weather' } } }),
  requestWith({ tools: [{ type: 'custom', custom: { name: 'shell' } }] }),
  requestWith({ functions: [{ name: 'weather' }], function_call: 'auto' }),
  {
    ...saying(
      hello,
      { role: 'assistant', content: null, tool_calls: [call, { ...call, id: 'call_2' }] },
      { role: 'tool', tool_call_id: 'call_1', content: `Rain, ${canary}` },
      { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: canary }] },
    ),
    tools: [weather],
  },
  saying(
    hello,
    { role: 'assistant', content: null, function_call: call.function },
    { role: 'function', name: 'weather', content: canary },
  ),
  requestWith({ response_format: { type: 'json_object' } }),
  requestWith({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'city', strict: true, schema: { type: 'object', properties: {} } },
    },
  }),
  requestWith({ max_completion_tokens: 16, temperature: 0.5, top_p: 0.9, stop: ['END'] }),
  requestWith({ max_tokens: 1, stop: 'END', presence_penalty: 1, frequency_penalty: -1 }),
  requestWith({ n: 2 }),
  requestWith({ logprobs: true, top_logprobs: 2, logit_bias: { '50256': -100 } }),
  requestWith({ seed: 7, user: 'u', metadata: { a: 'b' }, store: true, service_tier: 'auto' }),
  requestWith({ reasoning_effort: 'high' }),
  requestWith({ verbosity: 'low', prompt_cache_key: 'k', safety_identifier: 's' }),
  requestWith({ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }),
  requestWith({ prediction: { type: 'content', content: 'a' } }),
  requestWith({ web_search_options: {} }),
  requestWith({ a_field_that_no_protocol_has: true }),
]

function requestWith(fields: Partial<ChatRequest>): ChatRequest {
  return { ...plainRequest, ...fields }
}

function saying(...messages: readonly Message[]): ChatRequest {
  return { model: 'public', messages }
}

function showing(part: UserPart): ChatRequest {
  return saying({ role: 'user', content: [{ type: 'text', text: `What is this, ${canary}?` }, part] })
}
