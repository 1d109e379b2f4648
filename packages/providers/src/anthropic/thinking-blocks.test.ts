import type { ChatRequest, Message, PartialMessage, PartialToolCall } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { decodeMessages } from './decode.ts'
import { requestBody } from './request-body.ts'

const model = 'claude-sonnet-5'
const asked: ChatRequest = { model: 'public', messages: [{ role: 'user', content: 'go' }] }

type Said = { readonly type: string; readonly text?: string }

const thinking = (text: string) => ({ type: 'thinking', thinking: text, signature: `signed ${text}` })
const secret = (data: string) => ({ type: 'redacted_thinking', data })
const text = (text: string) => ({ type: 'text', text })
const call = (id: string) => ({ type: 'tool_use', id, name: 'f', input: { id } })

/** The assistant's message that a client has of an answer with these blocks. */
async function answered(content: readonly object[], stream: boolean): Promise<PartialMessage> {
  const whole = { type: 'message', content, stop_reason: 'end_turn' }
  const events = [
    { type: 'message_start', message: { id: 'm' } },
    ...content.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]
  const framed = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  const body = stream ? framed : JSON.stringify(whole)
  const reply = await decodeMessages(scriptedResponse({ body }), { model, input: { ...asked, stream } })
  if (reply.kind === 'completion') return reply.completion.choices[0]!.message
  const message: { -readonly [K in keyof PartialMessage]: PartialMessage[K] } = {}
  const calls: { id?: string; name?: string; arguments: string }[] = []
  for await (const chunks of reply.chunks) {
    for (const { delta } of chunks.flatMap(({ choices }) => choices)) {
      if (delta.content) message.content = (message.content ?? '') + delta.content
      if (delta.reasoning_details) message.reasoning_details = delta.reasoning_details
      for (const piece of delta.tool_calls ?? []) add(calls, piece)
    }
  }
  if (calls.length > 0) {
    message.tool_calls = calls.map(({ id = '', ...f }) => ({ id, type: 'function', function: f }))
  }
  return message
}

function add(calls: { id?: string; name?: string; arguments: string }[], piece: PartialToolCall): void {
  calls[piece.index!] ??= { arguments: '' }
  const known = calls[piece.index!]!
  if (piece.id) known.id = piece.id
  if (piece.function?.name) known.name = piece.function.name
  known.arguments += piece.function?.arguments ?? ''
}

/** The blocks that the vendor gets back. */
function given(message: PartialMessage): readonly Said[] {
  const results = (message.tool_calls ?? []).map(({ id }) => ({
    role: 'tool',
    tool_call_id: id,
    content: 'r',
  }))
  const messages = [...asked.messages, { role: 'assistant', ...message }, ...results, ...asked.messages]
  const { body } = requestBody({ model, input: { ...asked, messages: messages as Message[] } })
  return (body.messages as { content: readonly Said[] }[])[1]!.content
}

describe('thoughts in between', () => {
  it.each([true, false])('come back where they stood (streamed: %s)', async stream => {
    for (const content of [
      [thinking('a'), text('one'), thinking('b'), text('two')],
      [thinking('a'), call('1'), thinking('b'), call('2')],
      [
        text('first'),
        thinking('a'),
        thinking('b'),
        text('then'),
        call('1'),
        secret('c'),
        text('so'),
        call('2'),
      ],
    ]) {
      expect(given(await answered(content, stream))).toEqual(content)
    }
  })

  it('come back where they stood, whatever the answer', async () => {
    const word = fc.stringMatching(/^[a-z]{1,4}$/)
    const thought = fc.oneof(word.map(thinking), word.map(secret))
    const segment = fc.tuple(fc.array(thought, { minLength: 1, maxLength: 2 }), fc.option(word), fc.nat(2))
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 5 }), fc.boolean(), async (segments, stream) => {
        let calls = 0
        const content = segments.flatMap(([thoughts, said, more]) => [
          ...thoughts,
          ...(said === null ? [] : [text(said)]),
          ...Array.from({ length: more }, () => call(`c${calls++}`)),
        ])
        content.push(thinking('z'), text('end'))
        expect(spelt(given(await answered(content, stream)))).toEqual(spelt(content))
      }),
    )
  })

  it('come back in the text where it is cut into parts, and at its end where it is shorter', async () => {
    const message = await answered([thinking('a'), text('one'), thinking('b'), text('two')], false)
    const parts = ['o', 'net', 'wo'].map(text)
    expect(given({ ...message, content: parts } as unknown as PartialMessage)).toEqual([
      thinking('a'),
      text('o'),
      text('ne'),
      thinking('b'),
      text('t'),
      text('wo'),
    ])
    expect(given({ ...message, content: 'on', tool_calls: [callOf('x')] })).toEqual([
      thinking('a'),
      text('on'),
      thinking('b'),
      { ...call('x'), input: {} },
    ])
  })

  it('do not come back where a block between them is missing', async () => {
    const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
    const torn = await answered([thinking('a'), search, thinking('b'), text('so')], false)
    expect(torn).not.toHaveProperty('reasoning_details')
    expect(torn.reasoning_content).toBe('ab')
    const behind = await answered([search, thinking('a'), text('so'), search], false)
    expect(behind.reasoning_details).toHaveLength(1)
  })
})

function callOf(id: string): PartialToolCall {
  return { id, type: 'function', function: { name: 'f', arguments: '{}' } }
}

/** Neighbouring texts may be joined. */
function spelt(blocks: readonly Said[]): string {
  return blocks.map(block => (block.type === 'text' ? block.text : `<${JSON.stringify(block)}>`)).join('')
}
