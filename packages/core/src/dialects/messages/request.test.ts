import { describe, expect, it } from 'vitest'
import { leastBody, messagesRequest, readMessagesRequest } from '../../../test/support/messages-request.ts'
import { sealReasoning } from '../../conversation/sealed-reasoning.ts'
import { sha256Hex } from '../../primitives/sha256.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { betaHeader, billingLine, ownReasoningFormat, sessionHeader, versionHeader } from './wire-names.ts'

const tool = (name: string, more: JsonObject = {}) => ({ name, input_schema: { type: 'object' }, ...more })
const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 }
const functionTool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object' } },
})
const lossesOf = (more: JsonObject) =>
  messagesRequest(more).translationLosses!().map(({ path, kind }) => `${kind} ${path}`)

describe('settings in the Messages API', () => {
  it.each<[string, JsonObject, object]>([
    ['nothing', {}, {}],
    ['sampling', { temperature: 0.5, top_p: 0.9, top_k: 7 }, { temperature: 0.5, top_p: 0.9, top_k: 7 }],
    ['stop sequences', { stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
    ['no stop sequences', { stop_sequences: [] }, {}],
    ['a tier', { service_tier: 'auto' }, { service_tier: 'auto' }],
    ['the standard tier', { service_tier: 'standard_only' }, { service_tier: 'default' }],
    ['no thought', { thinking: { type: 'disabled' } }, { reasoning_effort: 'none' }],
    ['a small budget', { thinking: { type: 'enabled', budget_tokens: 4_095 } }, { reasoning_effort: 'low' }],
    ['a budget', { thinking: { type: 'enabled', budget_tokens: 4_096 } }, { reasoning_effort: 'medium' }],
    [
      'a large budget',
      { thinking: { type: 'enabled', budget_tokens: 16_384 } },
      { reasoning_effort: 'high' },
    ],
    ['thought of its own', { thinking: { type: 'adaptive', display: 'omitted' } }, {}],
    [
      'an effort',
      { thinking: { type: 'adaptive' }, output_config: { effort: 'xhigh' } },
      { reasoning_effort: 'xhigh' },
    ],
    ['an end user', { metadata: { user_id: 'ann' } }, { safety_identifier: 'ann' }],
    [
      'an end user with a long name',
      { metadata: { user_id: 'a'.repeat(65) } },
      { safety_identifier: sha256Hex('a'.repeat(65)) },
    ],
    [
      'a session',
      { metadata: { user_id: '{"session_id":"s"}' } },
      { safety_identifier: '{"session_id":"s"}', prompt_cache_key: 's' },
    ],
    [
      'tools',
      { tools: [tool('f')], tool_choice: { type: 'auto' } },
      { tools: [functionTool('f')], tool_choice: 'auto' },
    ],
    [
      'a described, strict tool with a cache mark',
      {
        tools: [
          tool('f', {
            type: 'custom',
            description: 'F.',
            strict: true,
            cache_control: { type: 'ephemeral' },
            defer_loading: true,
          }),
        ],
      },
      {
        tools: [
          {
            type: 'function',
            function: { name: 'f', description: 'F.', parameters: { type: 'object' }, strict: true },
            cache_control: { type: 'ephemeral' },
          },
        ],
      },
    ],
    [
      'any tool',
      { tools: [tool('f')], tool_choice: { type: 'any' } },
      { tools: [functionTool('f')], tool_choice: 'required' },
    ],
    [
      'no tool',
      { tools: [tool('f')], tool_choice: { type: 'none' } },
      { tools: [functionTool('f')], tool_choice: 'none' },
    ],
    [
      'one tool, once',
      { tools: [tool('f')], tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } },
      {
        tools: [functionTool('f')],
        tool_choice: { type: 'function', function: { name: 'f' } },
        parallel_tool_calls: false,
      },
    ],
    ['a search, and nothing else', { tools: [search] }, { web_search_options: {} }],
    [
      'a search from somewhere',
      { tools: [{ ...search, user_location: { type: 'approximate', city: 'Oslo', region: null } }] },
      { web_search_options: { user_location: { type: 'approximate', approximate: { city: 'Oslo' } } } },
    ],
    ['a search on offer', { tools: [search, tool('f')] }, { tools: [functionTool('f')] }],
    [
      'a search that was chosen',
      { tools: [search, tool('f')], tool_choice: { type: 'tool', name: 'web_search' } },
      { tools: [functionTool('f')], web_search_options: {} },
    ],
  ])('are in the names of chat completions: %s', (_, more, settings) => {
    expect(messagesRequest(more).settings()).toEqual({
      model: 'm',
      stream: false,
      max_completion_tokens: 100,
      ...settings,
    })
  })

  it.each(['format', 'older'])('have a schema of the answer: %s', form => {
    const format = { type: 'json_schema', schema: { type: 'object' } }
    const request = messagesRequest(
      form === 'format' ? { output_config: { format } } : { output_format: format },
    )
    expect(request.settings().response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'response', schema: { type: 'object' }, strict: true },
    })
    expect(request.pathOf('response_format.json_schema.schema')).toBe(
      form === 'format' ? 'output_config.format.schema' : 'output_format.schema',
    )
  })

  it('have the session of the header as the key of a cache', () => {
    const headers = { [sessionHeader]: 's1' }
    expect(messagesRequest({}, { headers }).settings().prompt_cache_key).toBe('s1')
    expect(
      messagesRequest({}, { headers: { [sessionHeader]: 's'.repeat(65) } }).settings().prompt_cache_key,
    ).toHaveLength(64)
  })

  it('have functions for the tools that a client runs', () => {
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'memory_20250818', name: 'memory' },
      { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
    ]
    const request = messagesRequest({ tools })
    expect(request.settings().tools?.map(each => each.type === 'function' && each.function.name)).toEqual(
      tools.map(({ name }) => name),
    )
    expect(JSON.stringify(request.settings().tools)).toContain('800 x 600')
    expect(lossesOf({ tools })).toEqual(tools.map((_, index) => `mapped tools[${index}]`))
  })

  it('have a shorter name for a tool whose name only vendors of the protocol take', () => {
    const tools = [64, 65].map(length => ({ name: 'n'.repeat(length), input_schema: {} }))
    expect(lossesOf({ tools })).toEqual(['mapped tools[1].name'])
  })

  it('report what other vendors cannot be asked for', () => {
    expect(lossesOf({})).toEqual([])
    expect(
      lossesOf({
        container: 'c',
        context_management: { edits: [] },
        speed: 'fast',
        new_field: 1,
        mcp_servers: [],
      }),
    ).toEqual([
      'content container',
      'hint context_management',
      'hint speed',
      'hint new_field',
      'hint mcp_servers',
    ])
    const fetch = { type: 'web_fetch_20250910', name: 'web_fetch' }
    expect(lossesOf({ tools: [tool('f'), fetch, search] })).toEqual(['hint tools[1]', 'hint tools[2]'])
    expect(lossesOf({ tools: [fetch] })).toEqual(['content tools[0]'])
    expect(lossesOf({ tools: [tool('f'), fetch], tool_choice: { type: 'tool', name: 'web_fetch' } })).toEqual(
      ['content tools[1]'],
    )
    expect(lossesOf({ tools: [search] })).toEqual(['hint tools[0].max_uses'])
    const limited = { ...search, max_uses: null, allowed_domains: ['a.test'], blocked_domains: [] }
    expect(lossesOf({ tools: [limited] })).toEqual(['content tools[0].allowed_domains'])
  })

  it('are named as the caller has them', () => {
    const request = messagesRequest({ tools: [search, tool('f'), tool('g')], thinking: { type: 'disabled' } })
    expect(
      [
        'max_completion_tokens',
        'stop',
        'tools[1].function.parameters.type',
        'tools[0]',
        'reasoning_effort',
        'temperature',
        'tools[9]',
      ].map(path => request.pathOf(path)),
    ).toEqual([
      'max_tokens',
      'stop_sequences',
      'tools[2].input_schema.type',
      'tools[1]',
      'thinking',
      'temperature',
      'tools[9]',
    ])
    expect(messagesRequest({ output_config: { effort: 'low' } }).pathOf('reasoning_effort')).toBe(
      'output_config.effort',
    )
    expect(messagesRequest({ tools: [search] }).pathOf('web_search_options')).toBe('tools[0]')
  })
})

describe('a conversation in the Messages API', () => {
  const turnsOf = (messages: JsonObject[], more: JsonObject = {}) =>
    messagesRequest({ messages, ...more }).turns()
  const chatOf = (messages: JsonObject[], more: JsonObject = {}) =>
    messagesRequest({ messages, ...more }).chat().messages
  const user = (...content: JsonObject[]) => ({ role: 'user', content })
  const text = (text: string, more: JsonObject = {}) => ({ type: 'text', text, ...more })

  it('has its system text first, with cache marks where they are', () => {
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(chatOf([user(text('Hi'))], { system: 'Be brief.' })[0]).toEqual({
      role: 'system',
      content: 'Be brief.',
    })
    expect(chatOf([user(text('Hi'))], { system: [text('a'), text(''), text('b')] })[0]).toEqual({
      role: 'system',
      content: 'a\n\nb',
    })
    expect(chatOf([user(text('Hi'))], { system: [text('a'), text('b', mark), text('c')] })[0]).toEqual({
      role: 'system',
      content: [
        { type: 'text', text: 'a\n\nb', ...mark },
        { type: 'text', text: 'c' },
      ],
    })
  })

  it('leaves out what only the vendor of a client reads', () => {
    const system = [text(`${billingLine} cc_version=1`), text('Be brief.')]
    const request = messagesRequest({ system })
    expect(request.chat().messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
    expect(request.translationLosses!()).toMatchObject([{ path: 'system[0]', kind: 'hint' }])
  })

  it('has system messages between others in their place', () => {
    expect(chatOf([user(text('a')), { role: 'system', content: 'b' }, user(text('c'))])).toEqual([
      { role: 'user', content: 'a' },
      { role: 'system', content: 'b' },
      { role: 'user', content: 'c' },
    ])
  })

  it('joins neighbouring messages of a role, with the path of each part', () => {
    const turns = turnsOf([
      user(text('a')),
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'c' },
    ])
    expect(turns).toMatchObject([
      {
        role: 'user',
        path: 'messages[0]',
        parts: [{ path: 'messages[0].content[0]' }, { path: 'messages[1].content' }],
      },
      { role: 'assistant', path: 'messages[2]' },
    ])
  })

  it('has results first, with their images after all of them, and failed ones', () => {
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'QUJD' } }
    const called = ['a', 'b'].map(id => ({ type: 'tool_use', id, name: 'f', input: { id } }))
    const request = messagesRequest({
      messages: [
        user(text('Hi')),
        { role: 'assistant', content: [text('I look.'), ...called] },
        user(
          text('And?'),
          { type: 'tool_result', tool_use_id: 'b', content: [text('two'), image] },
          { type: 'tool_result', tool_use_id: 'a', is_error: true, content: 'failed' },
        ),
      ],
    })
    const chat = request.chat().messages
    expect(chat[1]).toMatchObject({
      content: 'I look.',
      tool_calls: [
        { id: 'a', function: { name: 'f', arguments: '{"id":"a"}' } },
        { id: 'b', function: { name: 'f', arguments: '{"id":"b"}' } },
      ],
    })
    expect(chat.slice(2).map(({ role }) => role)).toEqual(['tool', 'tool', 'user', 'user'])
    expect(chat[3]).toEqual({ role: 'tool', tool_call_id: 'a', content: 'failed' })
    expect(chat[4]).toMatchObject({
      content: [{ type: 'text' }, { image_url: { url: 'data:image/png;base64,QUJD' } }],
    })
    expect(chat[5]).toEqual({ role: 'user', content: 'And?' })
    expect(request.turns()[2]?.parts[2]).toMatchObject({ kind: 'result', isError: true })
    expect(request.pathOf('messages[4].content[1].image_url.url')).toBe(
      'messages[2].content[1].content[1].source',
    )
    expect(request.pathOf('messages[1].tool_calls[1].function.arguments')).toBe(
      'messages[1].content[2].input',
    )
    expect(request.pathOf('messages[3].tool_call_id')).toBe('messages[2].content[2].tool_use_id')
  })

  it('has an empty result as an empty text', () => {
    const messages = [
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
      user({ type: 'tool_result', tool_use_id: 'a' }),
    ]
    expect(chatOf(messages)[1]).toEqual({ role: 'tool', tool_call_id: 'a', content: '' })
  })

  it.each<[string, JsonObject, object]>([
    [
      'an image by URL',
      { type: 'image', source: { type: 'url', url: 'https://a.test/b.png' } },
      { kind: 'image', url: 'https://a.test/b.png' },
    ],
    [
      'a PDF',
      {
        type: 'document',
        title: 'A.pdf',
        source: { type: 'base64', media_type: 'application/pdf', data: 'QUJD' },
      },
      { kind: 'file', data: 'data:application/pdf;base64,QUJD', filename: 'A.pdf' },
    ],
    [
      'a document by URL',
      { type: 'document', source: { type: 'url', url: 'https://a.test/b.pdf' } },
      { kind: 'file', url: 'https://a.test/b.pdf' },
    ],
    [
      'a text',
      {
        type: 'document',
        title: 'A',
        context: 'B',
        source: { type: 'text', media_type: 'text/plain', data: 'C' },
      },
      { kind: 'text', text: 'A\n\nB\n\nC' },
    ],
    [
      'a document of texts',
      { type: 'document', title: 'A', source: { type: 'content', content: [text('b'), text('c')] } },
      { kind: 'text', text: 'A\n\nb\n\nc' },
    ],
    [
      'a document of one text',
      { type: 'document', source: { type: 'content', content: 'c' } },
      { kind: 'text', text: 'c' },
    ],
    [
      'a result of a search',
      { type: 'search_result', source: 'https://a.test', title: 'A', content: [text('b')] },
      { kind: 'text', text: 'A\n\nhttps://a.test\n\nb' },
    ],
    [
      'a marked text',
      text('a', { cache_control: { type: 'ephemeral' } }),
      { kind: 'text', text: 'a', extra: { cache_control: { type: 'ephemeral' } } },
    ],
  ])('has %s', (_, block, part) => {
    const request = messagesRequest({ messages: [user(block)] })
    expect(request.turns()[0]?.parts).toMatchObject([{ ...part, path: 'messages[0].content[0]' }])
    expect(request.translationLosses!()).toEqual([])
  })

  it('reports files of an account as content, and citations as a hint', () => {
    const file = { type: 'file', file_id: 'file_1' }
    expect(
      lossesOf({ messages: [user({ type: 'image', source: file }, { type: 'document', source: file })] }),
    ).toEqual(['content messages[0].content[0].source', 'content messages[0].content[1].source'])
    const cited = { type: 'document', source: { type: 'text', data: 'a' }, citations: { enabled: true } }
    expect(lossesOf({ messages: [user(cited)] })).toEqual(['hint messages[0].content[0].citations'])
  })

  it('drops blocks of unknown types, and reports each', () => {
    const messages = [
      user({ type: 'container_upload', file_id: 'f' }, text('a')),
      {
        role: 'assistant',
        content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }, text('b')],
      },
      { role: 'system', content: [{ type: 'tool_addition', tool: {} }] },
      user({ type: 'bad type' }, text('c')),
    ]
    const request = messagesRequest({ messages })
    expect(request.chat().messages).toHaveLength(3)
    expect(request.translationLosses!()).toMatchObject([
      {
        path: 'messages[0].content[0]',
        kind: 'hint',
        why: 'this model takes no blocks of type container_upload',
      },
      { path: 'messages[1].content[0]', kind: 'hint' },
      { path: 'messages[2].content[0]', kind: 'hint' },
      { path: 'messages[3].content[0]', kind: 'hint', why: 'this model takes no such blocks' },
    ])
  })

  it('keeps the text of what a vendor has found', () => {
    const found = {
      type: 'web_search_tool_result',
      tool_use_id: 's',
      content: [
        { type: 'web_search_result', title: 'A', url: 'https://a.test', encrypted_content: 'secret' },
      ],
    }
    const ran = {
      type: 'code_execution_tool_result',
      content: { type: 'code_execution_result', stdout: '4', stderr: '' },
    }
    const failed = {
      type: 'web_search_tool_result',
      content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
    }
    const messages = [user(text('a')), { role: 'assistant', content: [found, ran, failed] }]
    expect(turnsOf(messages)[1]?.parts).toMatchObject([
      { kind: 'text', text: 'A\nhttps://a.test' },
      { kind: 'text', text: '4' },
    ])
    expect(lossesOf({ messages })).toEqual([
      'mapped messages[1].content[0]',
      'mapped messages[1].content[1]',
      'hint messages[1].content[2]',
    ])
  })

  it('reports a beginning of an answer, which chat models do not continue', () => {
    const request = messagesRequest({ messages: [user(text('a')), { role: 'assistant', content: 'b' }] })
    expect(request.losses()).toMatchObject([{ path: 'messages[1]', kind: 'mapped' }])
    expect(request.translationLosses!()).toEqual([])
  })

  it('has thoughts with their signatures, in their place', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'redacted_thinking', data: 'xyz' },
      text('a'),
      { type: 'thinking', thinking: 'And.', signature: '' },
      { type: 'thinking', thinking: '', signature: '' },
    ]
    expect(turnsOf([user(text('Hi')), { role: 'assistant', content }])[1]?.parts).toMatchObject([
      {
        kind: 'reasoning',
        text: 'Hm.',
        details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'sig', format: ownReasoningFormat }],
      },
      {
        kind: 'reasoning',
        details: [{ type: 'reasoning.encrypted', data: 'xyz', format: ownReasoningFormat }],
      },
      { kind: 'text' },
      { kind: 'reasoning', text: 'And.', details: [] },
    ])
  })

  it('opens what was sealed, at the start of its message', () => {
    const details = [{ type: 'reasoning.encrypted', data: 'abc', format: 'other-v1' }]
    const extra_content = { other: { signature: 's' } }
    const data = sealReasoning({ details, calls: new Map([['c', extra_content]]) })!
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: '' },
      { type: 'tool_use', id: 'c', name: 'f', input: {} },
      { type: 'redacted_thinking', data },
    ]
    expect(turnsOf([user(text('Hi')), { role: 'assistant', content }])[1]?.parts).toMatchObject([
      { kind: 'reasoning', text: 'Hm.', details },
      { kind: 'call', id: 'c', extra: { extra_content } },
    ])
    const signed = [{ type: 'thinking', thinking: 'Hm.', signature: data }, text('a')]
    expect(turnsOf([user(text('Hi')), { role: 'assistant', content: signed }])[1]?.parts).toMatchObject([
      { kind: 'reasoning', text: 'Hm.', details },
      { kind: 'text' },
    ])
  })
})

describe('the body of a request, for a vendor of the protocol', () => {
  it('is the text as it came, with the headers of the protocol', () => {
    const text = '{ "model": "m", "max_tokens": 100, "messages": [] }'
    const headers = {
      [versionHeader]: '2023-06-01',
      [betaHeader]: 'a-1, b-2',
      authorization: 'Bearer secret',
    }
    const { request } = readMessagesRequest(JSON.parse(text), { text, headers, passes: true })
    expect(request.native!()).toEqual({
      text,
      headers: { [versionHeader]: '2023-06-01', [betaHeader]: 'a-1, b-2' },
      edits: [],
    })
    const parsed = messagesRequest().native!()
    expect(parsed).toEqual({ text: JSON.stringify(leastBody), headers: {}, edits: [] })
  })

  it.each<[string, JsonObject, object, object[]]>([
    ['a number', {}, { temperature: 0 }, [{ path: ['temperature'], value: 0 }]],
    ['a removed number', { top_p: 1 }, { top_p: undefined }, [{ path: ['top_p'], value: undefined }]],
    ['a bound', {}, { max_completion_tokens: 5 }, [{ path: ['max_tokens'], value: 5 }]],
    ['a stop sequence', {}, { stop: 'a' }, [{ path: ['stop_sequences'], value: ['a'] }]],
    ['an effort', {}, { reasoning_effort: 'minimal' }, [{ path: ['output_config', 'effort'], value: 'low' }]],
    [
      'no effort',
      { output_config: { effort: 'low' } },
      { reasoning_effort: 'none' },
      [
        { path: ['output_config', 'effort'], value: undefined },
        { path: ['thinking'], value: { type: 'disabled' } },
      ],
    ],
    ['a tier', {}, { service_tier: 'default' }, [{ path: ['service_tier'], value: 'standard_only' }]],
    ['a tier that the protocol lacks', {}, { service_tier: 'flex', seed: 1 }, []],
    ['an end user', {}, { safety_identifier: 'bob' }, [{ path: ['metadata', 'user_id'], value: 'bob' }]],
    [
      'one call at a time',
      { tools: [tool('f')] },
      { parallel_tool_calls: false },
      [{ path: ['tool_choice'], value: { type: 'auto', disable_parallel_tool_use: true } }],
    ],
    [
      'one call at a time of any tool',
      { tools: [tool('f')], tool_choice: { type: 'any' } },
      { parallel_tool_calls: false },
      [{ path: ['tool_choice', 'disable_parallel_tool_use'], value: true }],
    ],
    ['one call at a time without tools', {}, { parallel_tool_calls: false }, []],
  ])('has changed settings in the names of the protocol: %s', (_, more, settings, edits) => {
    const request = messagesRequest(more)
    expect(request.withSettings({ ...request.settings(), ...settings }).native!()!.edits).toEqual(edits)
  })

  it('has a bound that was added', () => {
    expect(messagesRequest().withMaxOutput(7).native!()!.edits).toEqual([{ path: ['max_tokens'], value: 7 }])
  })

  it('has no reasoning that the vendor refuses: what was sealed is opened or left out', () => {
    const own = { type: 'reasoning.text', text: 'Hm.', signature: 'sig', format: ownReasoningFormat }
    const foreign = { type: 'reasoning.encrypted', data: 'abc', format: 'other-v1' }
    const text = { type: 'text', text: 'a' }
    const editsOf = (...content: JsonObject[]) =>
      messagesRequest({
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content },
        ],
      }).native!()!.edits
    const unsigned = { type: 'thinking', thinking: 'Hm.', signature: '' }
    const sealed = (...details: JsonObject[]) => ({
      type: 'redacted_thinking',
      data: sealReasoning({ details, calls: new Map() })!,
    })
    const path = ['messages', 1, 'content']
    expect(editsOf(unsigned, text)).toEqual([{ path, value: [text] }])
    expect(editsOf(unsigned, text, sealed(own, foreign))).toEqual([
      { path, value: [{ type: 'thinking', thinking: 'Hm.', signature: 'sig' }, text] },
    ])
    expect(editsOf(text, sealed({ ...own, place: { text: 1, calls: 0 } }))).toEqual([{ path, value: [text] }])
    const pieces = [
      { ...own, signature: undefined },
      { ...own, text: undefined },
    ]
    expect(editsOf(text, sealed(...(JSON.parse(JSON.stringify(pieces)) as JsonObject[])))).toEqual([
      { path, value: [text] },
    ])
    const signed = { type: 'thinking', thinking: 'Hm.', signature: 'sig' }
    expect(editsOf(signed, text)).toEqual([])
    const messages = [signed, unsigned].map(block => ({ role: 'assistant', content: [block, text] }))
    expect(messagesRequest({ messages }).native!()!.edits).toEqual([
      { path: ['messages', 1, 'content'], value: [text] },
    ])
  })
})

describe('the reasoning of a request', () => {
  const sealedBy = (realm: string) =>
    sealReasoning({
      realm,
      details: [{ type: 'reasoning.encrypted', data: realm, format: 'x' }],
      calls: new Map(),
    })!
  const text = { type: 'text', text: 'a' }
  const messages = [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm.', signature: sealedBy('aa') }, text] },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: [{ type: 'redacted_thinking', data: sealedBy('bb') }, text] },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 'So.', signature: 'raw' }, text] },
  ]
  const readable = (realm: string) => messagesRequest({ messages }).forRealm!(() => realm)

  it('is what its target can read, and the rest is reported', () => {
    const { request, adjustments } = readable('aa')
    expect(adjustments.map(({ parameter }) => parameter)).toEqual(['messages[3].content[0].data'])
    expect(request.turns()[1]?.parts[0]).toMatchObject({ text: 'Hm.', details: [{ data: 'aa' }] })
    expect(request.turns()[3]?.parts).toMatchObject([
      { kind: 'text' },
      { kind: 'reasoning', text: 'So.', details: [{ signature: 'raw' }] },
      { kind: 'text' },
    ])
    const other = readable('cc')
    expect(other.adjustments).toHaveLength(2)
    expect(other.request.turns()[1]?.parts[0]).toMatchObject({ kind: 'reasoning', text: 'Hm.', details: [] })
    expect(JSON.stringify(other.request.native!()!.edits)).not.toContain('sluice1')
  })

  it('is the same request where nothing is sealed', () => {
    const request = messagesRequest()
    const unasked = () => {
      throw new Error('asked')
    }
    expect(request.forRealm!(unasked)).toEqual({ request, adjustments: [] })
    expect(request.withoutReasoning!()).toBeUndefined()
  })

  it('is left out whole, after a vendor refused it', () => {
    const request = messagesRequest({ messages }).withoutReasoning!()!
    const { adjustments } = request.forRealm!(() => 'aa')
    expect(adjustments.map(({ parameter }) => parameter)).toEqual([
      'messages[1].content[0].signature',
      'messages[3].content[0].data',
      'messages[4].content[0].signature',
    ])
    expect(request.native!()!.edits).toEqual(
      [1, 3, 4].map(at => ({ path: ['messages', at, 'content'], value: [text] })),
    )
    expect(request.withoutReasoning!()).toBeUndefined()
    const only = { role: 'assistant', content: [{ type: 'thinking', thinking: 'So.', signature: 'raw' }] }
    const emptied = messagesRequest({ messages: [messages[0]!, only, messages[0]!] }).withoutReasoning!()!
    expect(emptied.native!()!.edits).toEqual([{ path: ['messages', 1], value: undefined }])
  })

  it('ends, where a vendor with a budget would have to go on with an answer that did not begin with it', () => {
    const call = { type: 'tool_use', id: 'c', name: 'f', input: {} }
    const thought = { type: 'thinking', thinking: 'So.', signature: 'raw' }
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'b' }
    const going = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [thought, call] },
      { role: 'user', content: [result] },
    ]
    const editsOf = (thinking: JsonObject) =>
      messagesRequest({ thinking, messages: going }).withoutReasoning!()!.native!()!.edits.map(
        ({ path }) => path[0],
      )
    expect(editsOf({ type: 'enabled', budget_tokens: 2_000 })).toEqual(['thinking', 'messages'])
    expect(editsOf({ type: 'adaptive' })).toEqual(['messages'])
  })

  it('ends, too, where another vendor had begun the answer without a signed thought', () => {
    const call = { type: 'tool_use', id: 'c', name: 'f', input: {} }
    const unsigned = { type: 'thinking', thinking: 'So.', signature: '' }
    const result = { type: 'tool_result', tool_use_id: 'c', content: 'b' }
    const going = (...blocks: JsonObject[]) => [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [...blocks, call] },
      { role: 'user', content: [result] },
    ]
    const thinking = { type: 'enabled', budget_tokens: 2_000 }
    const off = { path: ['thinking'], value: { type: 'disabled' } }
    const without = messagesRequest({ thinking, messages: going() }).withoutReasoning!()!
    expect(without.native!()!.edits).toEqual([off])
    expect(without.forRealm!(() => 'aa').adjustments).toMatchObject([{ parameter: 'thinking' }])
    expect(without.withoutReasoning!()).toBeUndefined()
    expect(
      messagesRequest({ thinking, messages: going(unsigned) }).withoutReasoning!()!.native!()!.edits,
    ).toEqual([off, { path: ['messages', 1, 'content'], value: [call] }])
    expect(messagesRequest({ messages: going() }).withoutReasoning!()).toBeUndefined()
  })

  it('is not cleared either, where it ends', () => {
    const clearing = { type: 'clear_thinking_20251015', keep: 'all' }
    const other = { type: 'clear_tool_uses_20250919' }
    const editsOf = (...edits: JsonObject[]) =>
      messagesRequest({
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        context_management: { edits },
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'b' }] },
        ],
      }).withoutReasoning!()!.native!()!.edits.slice(1)
    expect(editsOf(clearing)).toEqual([{ path: ['context_management'], value: undefined }])
    expect(editsOf(clearing, other)).toEqual([{ path: ['context_management', 'edits'], value: [other] }])
    expect(editsOf(other)).toEqual([])
  })
})
