import { describe, expect, it } from 'vitest'
import { chatDialects } from '../../../../packages/console/ui/chat/chat-dialects.ts'
import { errorIn } from '../../../../packages/console/ui/server/api-error.ts'

type Reader = (typeof chatDialects)[keyof typeof chatDialects]

/** What the chat shows of these events. */
function shown({ read }: Reader, events: readonly (string | object)[]) {
  let text = ''
  let counts: ReturnType<Reader['read']>['counts']
  let ended = false
  for (const event of events) {
    const piece = read(typeof event === 'string' ? event : JSON.stringify(event), counts)
    text += piece.text ?? ''
    counts = piece.counts ?? counts
    ended ||= piece.isEnd === true
  }
  return { text, counts, ended }
}

describe('the dialects of the chat', () => {
  it('read chat completions', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 }
    const delta = (content: string) => ({ choices: [{ delta: { content } }], usage: null })
    expect(
      shown(chatDialects.chat, [
        delta(''),
        delta('12 * 7'),
        delta(' = 84'),
        { choices: [], usage },
        '[DONE]',
      ]),
    ).toEqual({ text: '12 * 7 = 84', counts: { input: 7, output: 5 }, ended: true })
  })

  it('read messages, without their thoughts, and with all input tokens', () => {
    const delta = (of: object) => ({ type: 'content_block_delta', index: 0, delta: of })
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 2, cache_read_input_tokens: 3 } } },
      { type: 'ping' },
      delta({ type: 'thinking_delta', thinking: 'Hm.' }),
      delta({ type: 'text_delta', text: '12 * 7' }),
      delta({ type: 'input_json_delta', partial_json: '{}' }),
      delta({ type: 'text_delta', text: ' = 84' }),
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
    ]
    const counted = { text: '12 * 7 = 84', counts: { input: 5, output: 5 } }
    expect(shown(chatDialects.messages, events)).toEqual({ ...counted, ended: false })
    expect(shown(chatDialects.messages, [...events, { type: 'message_stop' }])).toEqual({
      ...counted,
      ended: true,
    })
  })

  it('read responses, without their reasoning', () => {
    const events = [
      { type: 'response.created', response: { usage: null } },
      { type: 'response.reasoning_text.delta', delta: 'Hm.' },
      { type: 'response.output_text.delta', delta: '12 * 7' },
      { type: 'response.function_call_arguments.delta', delta: '{}' },
      { type: 'response.output_text.delta', delta: ' = 84' },
      { type: 'response.completed', response: { usage: { input_tokens: 7, output_tokens: 5 } } },
    ]
    const counted = { text: '12 * 7 = 84', counts: { input: 7, output: 5 } }
    expect(shown(chatDialects.responses, events)).toEqual({ ...counted, ended: false })
    expect(shown(chatDialects.responses, [...events, '[DONE]'])).toEqual({ ...counted, ended: true })
  })

  it('know errors of both', () => {
    const message = 'Slow down.'
    expect(errorIn(JSON.stringify({ error: { message, type: 'x', code: 'rate_limit_exceeded' } }))).toEqual({
      message,
      code: 'rate_limit_exceeded',
    })
    expect(errorIn(JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message } }))).toEqual({
      message,
      code: 'rate_limit_error',
    })
    expect(errorIn(JSON.stringify({ type: 'message_stop' }))).toBeUndefined()
    expect(errorIn('[DONE]')).toBeUndefined()
  })
})
