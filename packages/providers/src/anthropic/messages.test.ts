import type { GatewayError } from '@sluice/core'
import type { Call, ChatRequest, Message } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { requestBody } from './request-body.ts'

const sonnet4 = 'claude-sonnet-4-20250514'
const details = (text: string, signature: string, index = 0) => ({
  type: 'reasoning.text',
  text,
  signature,
  format: 'anthropic-claude-v1',
  index,
})
const call = (id: string, args = '{"x":1}') => ({
  id,
  type: 'function' as const,
  function: { name: 'f', arguments: args },
})
const user: Message = { role: 'user', content: 'hello' }

const tools = [{ type: 'function', function: { name: 'f' } }] as const

function encoded(messages: readonly unknown[], further: Partial<ChatRequest> = {}, model = sonnet4) {
  const asked = { model: 'public', messages: messages as readonly Message[], max_tokens: 100 }
  const input: ChatRequest = { ...asked, ...further }
  const { body, adjustments } = requestBody({ input, model } satisfies Call)
  return { body: JSON.parse(JSON.stringify(body)), adjustments }
}

function refused(messages: readonly unknown[], model = sonnet4): GatewayError {
  try {
    encoded(messages, {}, model)
  } catch (error) {
    return error as GatewayError
  }
  throw new Error('It was not refused.')
}

describe('messages for the Messages API', () => {
  it('carry system texts outside, in order, wherever they stood', () => {
    const { body, adjustments } = encoded([
      { role: 'system', content: 'one' },
      user,
      { role: 'developer', content: [{ type: 'text', text: 'two' }] },
    ])
    expect(body.system).toBe('one\n\ntwo')
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'hello' }] }])
    expect(adjustments).toEqual([
      { parameter: 'messages[2]', action: 'mapped', detail: expect.stringContaining('system text') },
    ])
  })

  it('carry system texts as blocks where one of them has a cache mark', () => {
    const mark = { type: 'ephemeral', ttl: '1h' }
    const { body } = encoded([
      { role: 'system', content: 'long', cache_control: mark },
      { role: 'system', content: 'short' },
      user,
    ])
    expect(body.system).toEqual([
      { type: 'text', text: 'long', cache_control: mark },
      { type: 'text', text: 'short' },
    ])
  })

  it('join neighbours of one role, leave out blank texts and report names', () => {
    const { body, adjustments } = encoded([
      { role: 'user', content: 'a', name: 'ann' },
      { role: 'assistant', content: ' ' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: '\n' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ])
    expect(adjustments).toEqual([{ parameter: 'messages[0].name', action: 'dropped' }])
  })

  it('put the results of parallel calls first in one turn', () => {
    const { body } = encoded([
      user,
      { role: 'assistant', content: 'Let me see.', tool_calls: [call('a'), call('b', '')] },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      {
        role: 'tool',
        tool_call_id: 'a',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'more', cache_control: { type: 'ephemeral' } },
        ],
        cache_control: { type: 'ephemeral' },
      },
      { role: 'user', content: 'and?' },
    ])
    expect(body.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'b', name: 'f', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'b', content: 'two' },
          {
            type: 'tool_result',
            tool_use_id: 'a',
            content: [
              { type: 'text', text: 'one' },
              { type: 'text', text: 'more', cache_control: { type: 'ephemeral' } },
            ],
            cache_control: { type: 'ephemeral' },
          },
          { type: 'text', text: 'and?' },
        ],
      },
    ])
  })

  it('send a result that is empty without content', () => {
    const { body } = encoded([
      user,
      { role: 'assistant', tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ])
    expect(body.messages[2].content).toEqual([{ type: 'tool_result', tool_use_id: 'a' }])
  })

  it('make ids of calls such as the vendor takes, each once', () => {
    const round = (id: string) => [
      { role: 'assistant', tool_calls: [call(id)] },
      { role: 'tool', tool_call_id: id, content: 'r' },
    ]
    const { body } = encoded([
      user,
      ...round('functions.f:0'),
      ...round('functions.f:0'),
      ...round('functions_f_0'),
    ])
    const ids = body.messages
      .slice(1)
      .map(
        ({ content: [block] }: { content: { id?: string; tool_use_id?: string }[] }) =>
          block?.id ?? block?.tool_use_id,
      )
    expect(ids).toEqual([
      'functions_f_0',
      'functions_f_0',
      'functions_f_0_2',
      'functions_f_0_2',
      'functions_f_0_3',
      'functions_f_0_3',
    ])
  })

  it('answer each of several calls that have one id', () => {
    const { body } = encoded([
      user,
      { role: 'assistant', tool_calls: [call('a', '{"x":1}'), call('a', '{"x":2}')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'a', content: 'two' },
    ])
    expect(body.messages[1].content.map(({ id }: { id: string }) => id)).toEqual(['a', 'a_2'])
    expect(body.messages[2].content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: 'one' },
      { type: 'tool_result', tool_use_id: 'a_2', content: 'two' },
    ])
  })

  it('have one result for each call, right after it', () => {
    const called = { role: 'assistant', tool_calls: [call('a'), call('b')] }
    const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' })
    const answered = [user, called, result('b'), user, result('a')]
    expect(encoded(answered).body.messages).toHaveLength(3)
    for (const [param, ...messages] of [
      ['messages[1].tool_call_id', user, result('a')],
      ['messages[4].tool_call_id', user, called, result('a'), result('b'), result('a')],
      ['messages[5].tool_call_id', ...answered, result('c')],
      ['messages[6].tool_call_id', ...answered, { role: 'assistant', content: 'x' }, result('a')],
      ['messages[1].tool_calls[1]', user, called, result('a'), user],
      ['messages[1].tool_calls[0]', user, called, user],
      ['messages[1].tool_calls[0]', user, called],
      ['messages[1].tool_calls[0]', user, called, { role: 'user', content: ' ' }],
    ] as const) {
      expect(refused(messages)).toMatchObject({ status: 400, param })
    }
  })

  it('carry the cache mark of a message that holds only calls', () => {
    const mark = { type: 'ephemeral' }
    const { body } = encoded([
      user,
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')], cache_control: mark },
      { role: 'tool', tool_call_id: 'a', content: 'r' },
      { role: 'tool', tool_call_id: 'b', content: 'r' },
    ])
    const marks = body.messages[1].content.map(
      ({ cache_control }: { cache_control?: object }) => cache_control,
    )
    expect(marks).toEqual([undefined, mark])
  })

  it('end a beginning of the answer without white space, where the model goes on with it', () => {
    const messages = [user, { role: 'assistant', content: 'It is \n' }]
    expect(encoded(messages).body.messages[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'It is' }],
    })
    expect(encoded([...messages, user]).body.messages[1].content[0].text).toBe('It is \n')
    expect(refused(messages, 'claude-opus-4-6')).toMatchObject({ status: 400, param: 'messages[1]' })
  })

  it('begin with the user and say something', () => {
    expect(refused([{ role: 'system', content: 's' }])).toMatchObject({ status: 400, param: 'messages' })
    expect(refused([{ role: 'user', content: ' ' }])).toMatchObject({ status: 400, param: 'messages' })
    expect(
      refused([{ role: 'system', content: 's' }, { role: 'assistant', content: 'a' }, user]),
    ).toMatchObject({
      status: 400,
      param: 'messages[1]',
    })
  })

  it('give signed reasoning back before what was said after it', () => {
    const earlier = {
      role: 'assistant',
      content: 'said',
      reasoning_content: 'thought',
      reasoning_details: [
        details('thought', 'sig'),
        { type: 'reasoning.encrypted', data: 'xyz', format: 'anthropic-claude-v1', index: 1 },
      ],
      tool_calls: [call('a')],
    }
    const { body, adjustments } = encoded(
      [user, earlier, { role: 'tool', tool_call_id: 'a', content: 'r' }],
      { reasoning_effort: 'low' },
    )
    expect(body.messages[1].content).toEqual([
      { type: 'thinking', thinking: 'thought', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'said' },
      { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    ])
    expect(adjustments.map(({ parameter }) => parameter)).not.toContain('messages[1].reasoning_details')
  })

  it('leave out reasoning that the vendor cannot check, and tell of it', () => {
    const foreign = [{ type: 'reasoning.encrypted', data: 'g', format: 'google-gemini-v1', index: 0 }]
    const { body, adjustments } = encoded([
      user,
      { role: 'assistant', content: 'a', reasoning_details: foreign },
      user,
      { role: 'assistant', content: 'b', reasoning_content: 'unsigned' },
      user,
      { role: 'assistant', content: null, reasoning_details: [details('t', 's')] },
      user,
      { role: 'assistant', content: 'c', reasoning_details: [details('t', 's'), details('u', '', 1)] },
      user,
    ])
    expect(body.messages.map(({ content }: { content: object[] }) => content.length)).toEqual([
      1, 1, 1, 1, 2, 2, 1,
    ])
    expect(adjustments.map(({ parameter, action }) => [parameter, action])).toEqual([
      ['messages[1].reasoning_details', 'dropped'],
      ['messages[3].reasoning_content', 'dropped'],
      ['messages[5].reasoning_details', 'dropped'],
      ['messages[7].reasoning_details', 'dropped'],
    ])
  })

  it('leave out thoughts before a system message that is moved, where the model would refuse them then', () => {
    const thoughtful = (signature: string) => ({
      role: 'assistant',
      content: 'a',
      reasoning_details: [details('t', signature)],
    })
    const conversation = [
      { role: 'system', content: 'one' },
      user,
      thoughtful('before'),
      { role: 'system', content: 'two' },
      user,
      thoughtful('after'),
      user,
    ]
    const signatures = ({ body }: ReturnType<typeof encoded>) =>
      body.messages.flatMap(({ content }: { content: { signature?: string }[] }) =>
        content.flatMap(({ signature }) => signature ?? []),
      )
    expect(signatures(encoded(conversation, {}, 'claude-opus-5'))).toEqual(['before', 'after'])
    const bound = encoded(conversation, {}, 'claude-opus-5-5')
    expect(signatures(bound)).toEqual(['after'])
    expect(bound.adjustments.map(({ parameter, action }) => `${parameter} ${action}`)).toEqual([
      'messages[3] mapped',
      'messages[2].reasoning_details dropped',
    ])
    const unmoved = conversation.filter(({ content }) => content !== 'two')
    expect(signatures(encoded(unmoved, {}, 'claude-opus-5-5'))).toEqual(['before', 'after'])
  })

  it('leave out the thoughts of the answer that is gone on with, while thinking is off', () => {
    const rounds = [
      user,
      { role: 'assistant', content: 'before', reasoning_details: [details('old', 's0')] },
      user,
      { role: 'assistant', reasoning_details: [details('t', 's')], tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: 'r' },
    ]
    const off = encoded(rounds, { tools })
    expect(off.body.messages[3].content.map(({ type }: { type: string }) => type)).toEqual(['tool_use'])
    expect(off.body.messages[1].content.map(({ type }: { type: string }) => type)).toEqual([
      'thinking',
      'text',
    ])
    expect(off.adjustments).toEqual([
      {
        parameter: 'messages[3].reasoning_details',
        action: 'dropped',
        detail: expect.stringContaining('off'),
      },
    ])
    const on = encoded(rounds, {}, 'claude-sonnet-5')
    expect(on.body.messages[3].content[0]).toEqual({ type: 'thinking', thinking: 't', signature: 's' })
  })
})

describe('any conversation', () => {
  const words = fc.constantFrom('', ' ', 'a', 'b c', 'd\n')
  const reasoning = fc.constantFrom([], [details('t', 's')], [{ type: 'reasoning.text', text: 'u' }])
  const said = fc.oneof(
    fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content: words }),
    fc.record({ role: fc.constant('user'), content: fc.array(words.map(text => ({ type: 'text', text }))) }),
    fc.record({ role: fc.constant('assistant'), content: words, reasoning_details: reasoning }),
    fc.record({ role: fc.constant('tool'), tool_call_id: fc.constantFrom('x', 'z'), content: words }),
  )
  const id = fc.constantFrom('x', 'y:1', 'y.1')
  const round = fc
    .tuple(fc.array(id, { minLength: 1, maxLength: 3 }), words, reasoning, fc.boolean())
    .map(([ids, content, reasoning_details, backwards]) => [
      { role: 'assistant', content, reasoning_details, tool_calls: ids.map(id => call(id)) },
      ...(backwards ? ids.toReversed() : ids).map(id => ({ role: 'tool', tool_call_id: id, content })),
    ])
  const some = fc
    .array(fc.oneof({ weight: 4, arbitrary: said.map(one => [one]) }, { weight: 3, arbitrary: round }), {
      maxLength: 6,
    })
    .map(parts => [{ role: 'user', content: 'hello' }, ...parts.flat()])
  const model = fc.constantFrom(sonnet4, 'claude-haiku-4-5', 'claude-opus-4-8', 'claude-3-haiku-20240307')
  const effort = fc.constantFrom('none', 'low', 'max', undefined)

  it('is written in turns, without losing a word or a call, or refused with the name of what cannot be sent', () => {
    let written = 0
    fc.assert(
      fc.property(some, model, effort, (messages, model, effort) => {
        let sent: ReturnType<typeof encoded>['body']
        try {
          sent = encoded(messages, effort && { reasoning_effort: effort }, model).body
          written++
        } catch (error) {
          expect(error).toMatchObject({ status: 400, param: expect.stringMatching(/^messages/) })
          return
        }
        const turns: { role: string; content: Sent[] }[] = sent.messages
        const roles = turns.map(({ role }) => role)
        expect(roles).toEqual(roles.map((_, at) => (at % 2 === 0 ? 'user' : 'assistant')))
        const ids = turns.map(({ content }) => content.flatMap(({ id }) => id ?? []))
        expect(new Set(ids.flat()).size).toBe(ids.flat().length)
        for (const [at, { content }] of turns.entries()) {
          const results = content.flatMap(({ tool_use_id }) => tool_use_id ?? [])
          expect(results.toSorted()).toEqual((ids[at - 1] ?? []).toSorted())
          expect(content.slice(0, results.length).every(({ type }) => type === 'tool_result')).toBe(true)
        }
        const blocks = turns.flatMap(({ content }) => content)
        const said = [sent.system, ...blocks.flatMap(({ text, content }) => [text, content])].join('')
        const given = messages.map(({ content }) =>
          typeof content === 'string' ? content : content.map(({ text }) => text).join(''),
        )
        expect(letters(said)).toEqual(letters(given.join('')))
        expect(ids.flat()).toHaveLength(
          messages.flatMap(given => ('tool_calls' in given ? given.tool_calls : [])).length,
        )
      }),
      { numRuns: 300 },
    )
    expect(written).toBeGreaterThan(60)
  })
})

interface Sent {
  readonly type: string
  readonly text?: string
  readonly content?: string
  readonly id?: string
  readonly tool_use_id?: string
}

function letters(text: string): string[] {
  return [...text.replace(/\s/g, '')].sort()
}

describe('content of users for the Messages API', () => {
  const part = (part: object) => [{ role: 'user', content: [part] }]
  const block = (given: object) => encoded(part(given)).body.messages[0].content[0]
  const pdf = 'data:application/pdf;base64,JVBERi0='

  it('is an image as data or as a link with TLS', () => {
    const image = (url: string, further = {}) => ({ type: 'image_url', image_url: { url, ...further } })
    expect(block(image('data:image/PNG;base64,iVBO'))).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: 'iVBO' },
    })
    expect(block(image('data:image/jpg;base64,/9j/'))).toMatchObject({ source: { media_type: 'image/jpeg' } })
    expect(block({ ...image('https://example.com/a.png'), cache_control: { type: 'ephemeral' } })).toEqual({
      type: 'image',
      source: { type: 'url', url: 'https://example.com/a.png' },
      cache_control: { type: 'ephemeral' },
    })
    const { adjustments } = encoded(part(image('https://example.com/a.png', { detail: 'high' })))
    expect(adjustments).toEqual([{ parameter: 'messages[0].content[0].image_url.detail', action: 'dropped' }])
    for (const url of ['http://example.com/a.png', 'data:image/bmp;base64,Qk0=', 'data:image/png']) {
      expect(refused(part(image(url)))).toMatchObject({
        status: 400,
        param: 'messages[0].content[0].image_url.url',
      })
    }
  })

  it('is a file that holds a PDF or text, with citations where they are asked for', () => {
    const file = (file: object, further = {}) => ({ type: 'file', file, ...further })
    expect(block(file({ file_data: pdf, filename: 'a.pdf' }, { citations: { enabled: true } }))).toEqual({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
      title: 'a.pdf',
      citations: { enabled: true },
    })
    expect(block(file({ file_data: 'data:text/csv;base64,w6ksMQ==' }))).toEqual({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'é,1' },
    })
    const data = 'messages[0].content[0].file.file_data'
    expect(refused(part(file({ file_data: 'data:application/zip;base64,AAAA' })))).toMatchObject({
      param: data,
    })
    expect(refused(part(file({ file_data: 'data:text/plain;base64,/w==' })))).toMatchObject({ param: data })
    expect(refused(part(file({ file_id: 'file-1' })))).toMatchObject({
      status: 400,
      param: 'messages[0].content[0].file.file_id',
    })
  })

  it('is no audio', () => {
    const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
    expect(refused(part(audio))).toMatchObject({ status: 400, param: 'messages[0].content[0]' })
  })
})
