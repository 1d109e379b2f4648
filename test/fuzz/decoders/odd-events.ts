import type { Wire } from '../../../packages/providers/test/vendors/properties/wire.ts'
import {
  errorFrame,
  eventFrame,
  exceptionFrame,
  frame,
} from '../../../packages/providers/test/vendors/replay/event-frames.ts'

const sse = (...lines: string[]) => Buffer.from(`${lines.join('\n')}\n\n`)
const data = (value: unknown) => `data: ${JSON.stringify(value)}`
const failure = { message: 'The server had an error.', type: 'server_error', code: null }

/** What may stand anywhere in a vendor's stream: failures, keep-alives, events of another day or another vendor. */
export const oddEvents: Readonly<Record<Wire, readonly Uint8Array[]>> = {
  chat: [
    sse(data({ error: failure })),
    sse('event: error', data(failure)),
    sse('event: error', 'data: overloaded'),
    sse(data({ choices: [], usage: { prompt_tokens: 9e15, completion_tokens: 9e15, total_tokens: -1 } })),
    sse(data({ choices: [{ index: 0, delta: {}, finish_reason: 'error' }] })),
    sse(data({ choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'stop' }] })),
    sse(data({ choices: [{ index: 0, delta: { tool_calls: [{ function: { name: 'g' } }] } }] })),
    sse(data({ choices: [{ index: 0, delta: { function_call: { name: 'f', arguments: '{' } } }] })),
    sse(data({ choices: [{ index: 0, delta: { content: null }, logprobs: { content: [{}] } }] })),
    sse(': keep-alive'),
    sse('data:'),
    sse('data: [DONE]'),
    sse(data({ type: 'message_stop' })),
  ],
  messages: [
    sse('event: error', data({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })),
    sse('event: ping', data({ type: 'ping' })),
    sse('event: message_stop', data({ type: 'message_stop' })),
    sse('event: message_delta', data({ type: 'message_delta', usage: { output_tokens: 2 ** 53 - 1 } })),
    sse('event: message_delta', data({ type: 'message_delta', delta: { stop_reason: 'refusal' } })),
    sse(data({ type: 'content_block_start', index: 9, content_block: { type: 'server_tool_use', id: 's' } })),
    sse(
      data({
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'redacted_thinking', data: 'QUJD' },
      }),
    ),
    sse(
      data({
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'citations_delta', citation: { url: 'x' } },
      }),
    ),
    sse(
      data({ type: 'content_block_delta', index: 7, delta: { type: 'input_json_delta', partial_json: '}' } }),
    ),
    sse(data({ type: 'content_block_stop', index: 0 })),
    sse(data({ type: 'message_start', message: { id: 'msg_2' } })),
    sse('data: [DONE]'),
  ],
  responses: [
    sse(data({ type: 'error', error: failure })),
    sse('event: error', data({ code: 'server_error', message: 'It failed.' })),
    sse(data({ type: 'response.failed', response: { error: null } })),
    sse(data({ type: 'response.incomplete', response: { incomplete_details: { reason: 'tomorrow' } } })),
    sse(data({ type: 'response.completed' })),
    sse(data({ type: 'response.created', response: { model: 7 } })),
    sse(data({ type: 'response.output_text.delta', output_index: 9, delta: 'b', logprobs: [{}] })),
    sse(data({ type: 'response.output_text.delta', delta: 1 })),
    sse(data({ type: 'response.reasoning_summary_part.added', output_index: 7, summary_index: 3 })),
    sse(data({ type: 'response.function_call_arguments.delta', output_index: 5, delta: '}' })),
    sse(data({ type: 'response.output_item.added', output_index: 0, item: { type: 'function_call' } })),
    sse(
      data({
        type: 'response.output_item.done',
        output_index: 0,
        item: { type: 'message', content: [{ annotations: [{ type: 'url_citation', start_index: -1 }] }] },
      }),
    ),
    sse(
      data({
        type: 'response.output_item.done',
        output_index: 'x',
        item: { type: 'reasoning', summary: null, encrypted_content: 'QUJD' },
      }),
    ),
    sse(data({ type: 'response.tomorrow', a: 1 })),
    sse(': keep-alive'),
    sse('data: [DONE]'),
  ],
  generate: [
    sse(data({ error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } })),
    sse(data([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Quota.' } }])),
    sse(data({ promptFeedback: { blockReason: 'SAFETY' } })),
    sse(data({ candidates: [{ index: 0, finishReason: 'SAFETY' }] })),
    sse(data({ candidates: [{ index: 0, finishReason: 'MALFORMED_FUNCTION_CALL' }] })),
    sse(data({ candidates: [{ index: 3, content: { parts: [{ text: 'b' }] } }] })),
    sse(
      data({ candidates: [{ content: { parts: [{ functionCall: { name: 'f', willContinue: true } }] } }] }),
    ),
    sse(
      data({
        candidates: [
          {
            content: {
              parts: [{ functionCall: { partialArgs: [{ jsonPath: '$.a[0]', stringValue: 'x' }] } }],
            },
          },
        ],
      }),
    ),
    sse(
      data({
        candidates: [
          { groundingMetadata: { groundingChunks: [{ web: { uri: 'x' } }], groundingSupports: [{}] } },
        ],
      }),
    ),
    sse(
      data({
        usageMetadata: {
          promptTokenCount: 2 ** 53 - 1,
          candidatesTokenCount: 2 ** 53 - 1,
          thoughtsTokenCount: -1,
        },
      }),
    ),
    sse(data({})),
    sse(': ping'),
  ],
  converse: [
    exceptionFrame('throttlingException', { message: 'Too many requests.' }),
    exceptionFrame('modelStreamErrorException', { message: 'x', originalStatusCode: 424 }),
    errorFrame('InternalFailure', 'It failed.'),
    eventFrame('messageStop', { stopReason: 'end_turn' }),
    eventFrame('messageStop', {}),
    eventFrame('metadata', {
      usage: { inputTokens: 2 ** 53 - 1, outputTokens: 2 ** 53 - 1, totalTokens: 1.5 },
    }),
    eventFrame('contentBlockStart', {
      contentBlockIndex: 0,
      start: { toolUse: { toolUseId: 'a', name: 'f' } },
    }),
    eventFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: '}' } } }),
    eventFrame('contentBlockDelta', {
      contentBlockIndex: 5,
      delta: { reasoningContent: { redactedContent: 'QQ==' } },
    }),
    eventFrame('contentBlockStop', { contentBlockIndex: 0 }),
    eventFrame('tomorrow', { a: 1 }),
    frame({ ':message-type': 'event', ':event-type': 'messageStart' }),
    frame({ ':message-type': 'other' }, { a: 1 }),
    frame({}),
  ],
}
