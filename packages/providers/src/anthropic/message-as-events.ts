import type { NativeEvent } from '@sluice/core/provider'
import { exactJsonText, parseExactJson } from '../wire/exact-json.ts'
import { type Fields, isFields, textOf } from '../wire/json-value.ts'

/** Returns a whole message as the events of a stream. */
export function messageAsEvents(text: string): readonly NativeEvent[] {
  const message = parseExactJson(text)
  const { content, stop_reason, stop_sequence, stop_details, ...rest } = isFields(message) ? message : {}
  const blocks = Array.isArray(content) ? content.filter(isFields) : []
  const ended = {
    stop_reason: stop_reason ?? null,
    stop_sequence: stop_sequence ?? null,
    ...(stop_details === undefined ? {} : { stop_details }),
  }
  const start = { ...rest, content: [], stop_reason: null, stop_sequence: null }
  return [
    event('message_start', { message: start }),
    ...blocks.flatMap(blockEvents),
    event('message_delta', { delta: ended, usage: rest.usage ?? {} }),
    event('message_stop', {}),
  ]
}

function blockEvents(block: Fields, index: number): readonly NativeEvent[] {
  const [empty, deltas] = split(block)
  return [
    event('content_block_start', { index, content_block: empty }),
    ...deltas.map(delta => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
}

/** Returns a block as it begins, and what is added to it. Blocks of other kinds are whole in their beginning. */
function split(block: Fields): readonly [empty: Fields, deltas: readonly Fields[]] {
  switch (block.type) {
    case 'text': {
      const { citations, ...rest } = block
      const cited = Array.isArray(citations) ? citations : []
      const deltas = cited.map(citation => ({ type: 'citations_delta', citation }))
      const text = textOf(block.text)
      const empty = { ...rest, text: '', ...(citations === undefined ? {} : { citations: [] }) }
      return [empty, text === undefined ? deltas : [{ type: 'text_delta', text }, ...deltas]]
    }
    case 'thinking': {
      const { thinking, signature = '' } = block
      const deltas = [
        ...(textOf(thinking) === undefined ? [] : [{ type: 'thinking_delta', thinking }]),
        { type: 'signature_delta', signature },
      ]
      return [{ ...block, thinking: '', signature: '' }, deltas]
    }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const partial_json = exactJsonText(block.input ?? {})
      return [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json }]]
    }
    default:
      return [block, []]
  }
}

function event(type: string, fields: Fields): NativeEvent {
  return { event: type, data: exactJsonText({ type, ...fields }) }
}
