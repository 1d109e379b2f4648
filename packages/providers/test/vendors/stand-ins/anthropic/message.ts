import { type Plan, wordsOf } from '../plan.ts'
import { signatureOf } from '../signature.ts'

const stopReasons = {
  done: 'end_turn',
  'stop sequence': 'stop_sequence',
  length: 'max_tokens',
  calls: 'tool_use',
} as const

/** A whole answer of the Messages API. */
export function message(plan: Plan, model: string): object {
  return {
    model,
    id: 'msg_01StandInStandInStandIn0',
    type: 'message',
    role: 'assistant',
    content: contentOf(plan),
    stop_reason: stopReasons[plan.end],
    stop_sequence: plan.stopSequence ?? null,
    stop_details: null,
    usage: { ...inputUsage(plan), ...outputUsage(plan), service_tier: 'standard' },
  }
}

/** The events of a streamed one: names, padding and a ping as the vendor sends them. */
export function messageEvents(plan: Plan, model: string): string[] {
  const head = {
    ...message(plan, model),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...inputUsage(plan), output_tokens: 1, service_tier: 'standard' },
  }
  const blocks = contentOf(plan).flatMap((block, index) => {
    const { opening, deltas } = inPieces(block)
    return [
      event({ type: 'content_block_start', index, content_block: opening }),
      ...(index === 0 ? [event({ type: 'ping' })] : []),
      ...deltas.map(delta => event({ type: 'content_block_delta', index, delta })),
      event({ type: 'content_block_stop', index }),
    ]
  })
  const delta = {
    stop_reason: stopReasons[plan.end],
    stop_sequence: plan.stopSequence ?? null,
    stop_details: null,
  }
  return [
    event({ type: 'message_start', message: head }),
    ...blocks,
    event({ type: 'message_delta', delta, usage: { ...inputUsage(plan), ...outputUsage(plan) } }),
    event({ type: 'message_stop' }),
  ]
}

/** One event; its data ends in spaces, which vary. */
export function event(data: { readonly type: string; readonly [field: string]: unknown }): string {
  const json = JSON.stringify(data)
  const padded = data.type === 'ping' ? json : `${json.slice(0, -1)}${' '.repeat(json.length % 9)}}`
  return `event: ${data.type}\ndata: ${padded}\n\n`
}

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: object }

let made = 0

function contentOf({ thinking, text, calls }: Plan): Block[] {
  return [
    ...(thinking === undefined
      ? []
      : [{ type: 'thinking', thinking, signature: signatureOf('anthropic', thinking) } as const]),
    ...(text === '' ? [] : [{ type: 'text', text } as const]),
    ...calls.map(
      ({ name, input }) => ({ type: 'tool_use', id: `toolu_01StandIn${++made}`, name, input }) as const,
    ),
  ]
}

function inPieces(block: Block): { readonly opening: object; readonly deltas: readonly object[] } {
  switch (block.type) {
    case 'thinking':
      return {
        opening: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...wordsOf(block.thinking).map(thinking => ({ type: 'thinking_delta', thinking })),
          { type: 'thinking_delta', thinking: '' },
          { type: 'signature_delta', signature: block.signature },
        ],
      }
    case 'text':
      return {
        opening: { type: 'text', text: '' },
        deltas: wordsOf(block.text).map(text => ({ type: 'text_delta', text })),
      }
    case 'tool_use': {
      const json = JSON.stringify(block.input)
      const pieces = json === '{}' ? [''] : ['', json.slice(0, 7), json.slice(7)]
      return {
        opening: { ...block, input: {}, caller: { type: 'direct' } },
        deltas: pieces.map(partial_json => ({ type: 'input_json_delta', partial_json })),
      }
    }
  }
}

function inputUsage({ usage }: Plan): object {
  return {
    input_tokens: usage.prompt - usage.cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
  }
}

function outputUsage({ usage, thinking }: Plan): object {
  return {
    output_tokens: usage.output,
    ...(thinking === undefined ? {} : { output_tokens_details: { thinking_tokens: usage.thinking } }),
  }
}
