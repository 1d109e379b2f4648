import type { Target } from '@sluice/core'
import { anthropic, bedrock, gemini, openaiCompatible } from '@sluice/providers'
import { steps, type Script as UpstreamScript } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { pixel } from '../../clients/script.ts'
import { expectMessagesError, messageOf } from './inbound-site.ts'
import { familyNames, foreignNames, overPlaces, startRawVendor, startVendors } from './over-places.ts'

const weather = {
  name: 'get_weather',
  description: 'Of a city',
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}
const call = (id: string, input: object = { city: 'Paris' }) => ({
  type: 'tool_use',
  id,
  name: 'get_weather',
  input,
})
const result = (tool_use_id: string, content: unknown, more: object = {}) => ({
  type: 'tool_result',
  tool_use_id,
  ...(content !== undefined && { content }),
  ...more,
})
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ role: 'assistant', content })
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }

/** Answers in the protocol of the path. */
const anyVendor: UpstreamScript = ({ path }) => {
  if (path.includes('/messages')) {
    return steps.reply({
      type: 'message',
      id: 'm',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    })
  }
  if (path.includes('converse')) {
    return steps.reply({
      output: { message: { role: 'assistant', content: [{ text: 'x' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
    })
  }
  if (path.includes('generateContent')) {
    return steps.reply({
      candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    })
  }
  return steps.answer()
}

/** What a server with chat completions was sent for a request. */
async function sentToChat(open: Parameters<Parameters<typeof overPlaces>[0]>[0]) {
  const { upstream, table } = await startRawVendor(steps.answer())
  const site = await open(table)
  return {
    site,
    upstream,
    async sent(fields: object) {
      const answer = await site.message(fields)
      expect(answer.status, answer.body).toBe(200)
      const body = upstream.requests.at(-1)!.json as Record<string, unknown>
      return { body, adjustments: answer.headers['x-sluice-adjustments'] }
    },
  }
}

overPlaces(open => {
  it.each(familyNames)('G6 K23 reaches a model of any vendor: %s', async model => {
    const { table, asked } = await startVendors(({ text }) => ({ text: `heard ${text}` }))
    const site = await open({ ...table, 'gpt-or-claude': table[model]! })
    for (const name of [model, 'gpt-or-claude']) {
      const message = messageOf(await site.message({ model: name }))
      expect(message).toMatchObject({
        model: name,
        content: [{ type: 'text', text: 'heard Hello!' }],
        stop_reason: 'end_turn',
      })
    }
    expect(asked(model)).toHaveLength(2)
  })

  it('G6 refuses what changes the answer, drops what is a hint, and names each as the caller does', async () => {
    const { site } = await sentToChat(open)
    const url = { type: 'url', url: 'https://x.test', name: 'x' }
    expectMessagesError(
      await site.message({ mcp_servers: [url] }),
      400,
      'invalid_request_error',
      /^mcp_servers/,
    )
    expectMessagesError(await site.message({ container: 'c' }), 400, 'invalid_request_error', /^container/)
    const file = { type: 'image', source: { type: 'file', file_id: 'f' } }
    expectMessagesError(
      await site.message({ messages: [user([file])] }),
      400,
      'invalid_request_error',
      /^messages\.0\.content\.0\.source/,
    )
    const answer = await site.message({
      messages: [user([{ type: 'new_block' }, { type: 'text', text: 'Hi' }])],
      tools: [weather, { type: 'web_search_20250305', name: 'web_search' }],
      context_management: { edits: [] },
    })
    expect(answer.status, answer.body).toBe(200)
    const told = answer.headers['x-sluice-adjustments']
    for (const path of ['messages[0].content[0]', 'tools[1]', 'context_management'])
      expect(told).toContain(`"${path}";action=dropped`)
  })

  it.each(familyNames)('G7 T33 takes null for absent: %s', async model => {
    const { table } = await startVendors(({ text }) => ({ text }))
    const site = await open(table)
    const names = [
      'system',
      'stop_sequences',
      'stream',
      'temperature',
      'top_p',
      'top_k',
      'tools',
      'tool_choice',
      'thinking',
      'output_config',
      'output_format',
      'metadata',
      'service_tier',
      'cache_control',
      'container',
      'mcp_servers',
      'context_management',
    ]
    const answer = await site.message({ model, ...Object.fromEntries(names.map(name => [name, null])) })
    expect(messageOf(answer).content).toMatchObject([{ text: 'Hello!' }])
    expect(answer.headers).not.toHaveProperty('x-sluice-adjustments')
    expect((await site.message({ model, max_tokens: null })).status).toBe(400)
  })

  it.each(familyNames)(
    'G8 T17 K22 refuses no field, block or tool that it does not know: %s',
    async model => {
      const { table, asked } = await startVendors(({ text }) => ({ text }))
      const site = await open(table)
      const context_management = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] }
      const fields = {
        future: { a: [1] },
        context_management,
        speed: 'fast',
        tools: [weather, { type: 'future_20300101', name: 'f' }],
      }
      const answer = await site.message({
        model,
        ...fields,
        messages: [
          user([
            { type: 'future', x: 1 },
            { type: 'text', text: 'Hi' },
          ]),
        ],
      })
      expect(answer.status, answer.body).toBe(200)
      const { body } = asked(model)[0]!
      if (model === 'anthropic') {
        expect(body).toMatchObject(fields)
        expect(answer.headers).not.toHaveProperty('x-sluice-adjustments')
        return
      }
      expect(JSON.stringify(body)).not.toMatch(/future|clear_thinking/)
      const told = answer.headers['x-sluice-adjustments']!
      for (const path of ['future', 'context_management', 'speed', 'tools[1]', 'messages[0].content[0]'])
        expect(told).toContain(`"${path}";action=dropped`)
    },
  )

  it('G8 T17 refuses an unknown field where the options say so', async () => {
    const { table } = await startRawVendor(steps.answer())
    const site = await open(table, { unknownParameters: 'reject' })
    expectMessagesError(
      await site.message({ future: 1 }),
      400,
      'invalid_request_error',
      'future: Extra inputs are not permitted',
    )
    expect((await site.message({ context_management: { edits: [] } })).status).toBe(200)
  })

  it('M3 joins neighbouring messages of a role, and tells of a beginning to go on with', async () => {
    const { sent } = await sentToChat(open)
    const { body, adjustments } = await sent({
      messages: [
        user('a'),
        user([{ type: 'text', text: 'b' }]),
        assistant('c'),
        assistant([{ type: 'text', text: 'd' }]),
      ],
    })
    const messages = body.messages as { role: string; content: unknown }[]
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(JSON.stringify(messages[0]!.content)).toMatch(/a.*b/)
    expect(JSON.stringify(messages[1]!.content)).toMatch(/c.*d/)
    expect(adjustments).toMatch(/"messages\[2\]";action=mapped/)
    expect((await sent({ messages: [user('a')] })).adjustments).toBeUndefined()
  })

  it('M4 refuses a result without its call, and names its id', async () => {
    const { site } = await sentToChat(open)
    const alone = (id: string) =>
      site.message({
        messages: [user('Hi'), assistant([call('toolu_1')]), user([result(id, 'x')])],
        tools: [weather],
      })
    expect((await alone('toolu_1')).status).toBe(200)
    expectMessagesError(
      await alone('toolu_2'),
      400,
      'invalid_request_error',
      /^messages\.2\.content\.0: .*toolu_2/,
    )
    const later = [
      user('Hi'),
      assistant([call('toolu_1')]),
      user([result('toolu_1', 'x')]),
      assistant('ok'),
      user([result('toolu_1', 'y')]),
    ]
    expectMessagesError(
      await site.message({ messages: later, tools: [weather] }),
      400,
      'invalid_request_error',
      /toolu_1/,
    )
  })

  it.each(familyNames)('M4 T19 K24 takes ids of any kind, in any order: %s', async model => {
    const { table, asked } = await startVendors(({ results }) => ({ text: results.join(' ') }))
    const site = await open(table)
    const ids =
      model === 'anthropic' ? ['toolu_1', 'toolu_2'] : [`call|${'x'.repeat(90)}`, 'functions.get_weather:0']
    const messages = [
      user('Hi'),
      assistant([{ type: 'text', text: 'I look.' }, call(ids[0]!), call(ids[1]!, { city: 'Rome' })]),
      user([
        result(ids[1]!, 'Rome is hot'),
        result(ids[0]!, [{ type: 'text', text: 'Paris is wet' }], {
          is_error: true,
          cache_control: { type: 'ephemeral' },
        }),
        { type: 'text', text: 'And?' },
      ]),
    ]
    const answer = await site.message({ model, messages, tools: [weather] })
    expect(messageOf(answer).stop_reason).toBe('end_turn')
    const sent = JSON.stringify(asked(model)[0]!.body)
    expect(sent).toContain('Rome is hot')
    expect(sent).toContain('Paris is wet')
    // Each result has the id of its call, whatever the id is on the way.
    if (model === 'chat') {
      const { messages: list } = asked(model)[0]!.body as {
        messages: {
          role: string
          tool_call_id?: string
          content: string
          tool_calls?: { id: string; function: { arguments: string } }[]
        }[]
      }
      const [paris, rome] = list[1]!.tool_calls!
      const told = (id: string) => list.find(({ tool_call_id }) => tool_call_id === id)!.content
      expect([JSON.stringify(told(paris!.id)), JSON.stringify(told(rome!.id))]).toEqual([
        expect.stringContaining('Paris is wet'),
        expect.stringContaining('Rome is hot'),
      ])
      expect(list.at(-1)).toMatchObject({ role: 'user' })
    }
    if (model === 'bedrock') {
      expect(sent).toMatch(/"status":"error"/)
      const used = [...sent.matchAll(/"toolUseId":"([^"]*)"/g)].map(([, id]) => id!)
      expect(used).toHaveLength(4)
      for (const id of used) expect(id).toMatch(/^[a-zA-Z0-9_.:-]{1,64}$/)
      expect(new Set(used).size).toBe(2)
    }
  })

  it('M4 T19 gives the caller ids back that lead to the calls', async () => {
    const odd = `call|${'y'.repeat(80)}`
    const { upstream, table } = await startRawVendor(
      steps.answer({ toolCalls: [{ id: odd, name: 'get_weather', arguments: { city: 'Paris' } }] }),
      steps.answer(),
    )
    const site = await open(table)
    const { content } = messageOf(await site.message({ tools: [weather] }))
    const { id } = content.find(({ type }) => type === 'tool_use')!
    await site.message({
      tools: [weather],
      messages: [user('Hi'), assistant(content), user([result(id!, 'wet')])],
    })
    const { messages } = upstream.requests[1]!.json as {
      messages: { tool_calls?: { id: string }[]; tool_call_id?: string }[]
    }
    expect(messages[1]!.tool_calls![0]!.id).toBe(odd)
    expect(messages[2]!.tool_call_id).toBe(odd)
  })

  it('M10 sends tools as functions, without what only the vendor of the protocol has', async () => {
    const { sent } = await sentToChat(open)
    const tools = [
      {
        ...weather,
        defer_loading: true,
        eager_input_streaming: true,
        input_examples: [{}],
        allowed_callers: ['direct'],
      },
      { ...weather, type: 'custom', name: 'other', strict: true },
    ]
    const { body, adjustments } = await sent({
      tools,
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
    })
    const { name, description, input_schema: parameters } = weather
    expect(body.tools).toEqual([
      { type: 'function', function: { name, description, parameters } },
      { type: 'function', function: { name: 'other', description, parameters, strict: true } },
    ])
    expect(body).toMatchObject({ tool_choice: 'required', parallel_tool_calls: false })
    expect(adjustments).toBeUndefined()
    const choices = [
      ['auto', 'auto'],
      ['none', 'none'],
    ] as const
    for (const [type, expected] of choices)
      expect((await sent({ tools, tool_choice: { type } })).body.tool_choice).toBe(expected)
    const named = await sent({ tools, tool_choice: { type: 'tool', name: 'other' } })
    expect(named.body.tool_choice).toEqual({ type: 'function', function: { name: 'other' } })
  })

  it('M11 makes functions of tools that the client runs, and needs the vendor for its own', async () => {
    const { sent, site } = await sentToChat(open)
    const tools = [
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
      { type: 'memory_20250818', name: 'memory' },
      { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
    ]
    const { body, adjustments } = await sent({ tools })
    const functions = (
      body.tools as { function: { name: string; parameters: { properties: object } } }[]
    ).map(tool => tool.function)
    expect(functions.map(({ name }) => name)).toEqual(tools.map(({ name }) => name))
    for (const { parameters } of functions)
      expect(Object.keys(parameters.properties).length).toBeGreaterThan(1)
    expect(adjustments).toMatch(/"tools\[0\]";action=mapped/)
    const hosted = [
      { type: 'web_fetch_20250910', name: 'web_fetch' },
      { type: 'code_execution_20250825', name: 'code_execution' },
    ]
    for (const tool of hosted) {
      const alone = await site.message({ tools: [tool] })
      expectMessagesError(alone, 400, 'invalid_request_error', /^tools\.0/)
      const chosen = await site.message({
        tools: [weather, tool],
        tool_choice: { type: 'tool', name: tool.name },
      })
      expectMessagesError(chosen, 400, 'invalid_request_error', /^tools\.1/)
      expect((await sent({ tools: [weather, tool] })).adjustments).toMatch(/"tools\[1\]";action=dropped/)
    }
    // A client asks for a search in a request of its own: only that call of a tool fails.
    const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 }
    const found = await sent({ tools: [search], tool_choice: { type: 'auto' } })
    expect(found.body).toMatchObject({ web_search_options: {} })
    expect(found.body).not.toHaveProperty('tools')
    const { table } = await startVendors(() => ({ text: 'x' }))
    const answer = await (await open(table)).message({
      model: 'bedrock',
      tools: [search],
      tool_choice: { type: 'auto' },
    })
    expectMessagesError(answer, 400, 'invalid_request_error', /^tools\.0/)
  })

  it.each([
    [{ type: 'disabled' }, undefined, 'none'],
    [{ type: 'enabled', budget_tokens: 1_024 }, undefined, 'low'],
    [{ type: 'enabled', budget_tokens: 4_095 }, undefined, 'low'],
    [{ type: 'enabled', budget_tokens: 4_096 }, undefined, 'medium'],
    [{ type: 'enabled', budget_tokens: 16_384 }, undefined, 'high'],
    [{ type: 'adaptive' }, undefined, undefined],
    [{ type: 'between_tools' }, undefined, undefined],
    [{ type: 'adaptive', display: 'omitted' }, 'max', 'max'],
    [{ type: 'enabled', budget_tokens: 1_024 }, 'high', 'high'],
    [undefined, 'xhigh', 'xhigh'],
  ])('M12 asks for as much thought as the caller does: %j %s', async (thinking, effort, expected) => {
    const { sent } = await sentToChat(open)
    const { body } = await sent({
      max_tokens: 30_000,
      thinking,
      ...(effort && { output_config: { effort } }),
    })
    expect(body.reasoning_effort).toBe(expected)
  })

  const budget = (budget_tokens: number) => ({ type: 'enabled', budget_tokens })
  const adaptive = { type: 'adaptive' }
  const inEffort = /"thinking";action=mapped;detail="an effort: low"/
  const unsupported = /"thinking";action=dropped/

  it.each([
    ['gemini-2.5-flash', budget(3_000), { thinkingBudget: 3_000, includeThoughts: true }, undefined],
    ['gemini-2.5-flash', budget(26_000), { thinkingBudget: 24_576, includeThoughts: true }, /24576/],
    ['gemini-2.5-flash', adaptive, { thinkingBudget: -1, includeThoughts: true }, undefined],
    ['gemini-2.5-flash', { ...adaptive, display: 'omitted' }, { thinkingBudget: -1 }, undefined],
    ['gemini-3-pro', budget(3_000), { thinkingLevel: 'low', includeThoughts: true }, /thinkingLevel low/],
    ['gemini-3-pro', adaptive, { includeThoughts: true }, undefined],
    ['claude-opus-4-1', budget(3_000), budget(3_000), undefined],
    ['claude-opus-4-1', adaptive, undefined, unsupported],
    ['claude-opus-4-6', budget(3_000), adaptive, /adaptive, with an effort: low/],
    ['claude-opus-4-6', adaptive, adaptive, undefined],
    ['claude-opus-4-7', { ...adaptive, display: 'omitted' }, { ...adaptive, display: 'omitted' }, undefined],
    ['nova-2-lite', budget(3_000), { type: 'enabled', maxReasoningEffort: 'low' }, inEffort],
    ['chat', budget(3_000), 'low', inEffort],
    ['chat', adaptive, undefined, undefined],
  ])('M12 gives each model its own form of thinking: %s %j', async (model, thinking, expected, reported) => {
    const { upstream } = await startRawVendor(anyVendor)
    const { baseURL, url } = upstream
    const aws = bedrock({ region: 'us-east-1', bearerToken: 'k', baseURL: url, speaks: [] })
    const google = gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })
    const claude = anthropic({ apiKey: 'k', baseURL, speaks: [] })
    const targets = model.startsWith('gemini')
      ? [google(model)]
      : model.startsWith('claude')
        ? [claude(model), aws(`us.anthropic.${model}-v1:0`)]
        : [model === 'chat' ? openaiCompatible({ name: 'c', baseURL })('m') : aws(`amazon.${model}-v1:0`)]
    for (const target of targets) {
      const site = await open({ m: target })
      const answer = await site.message({ model: 'm', max_tokens: 30_000, thinking })
      expect(answer.status, answer.body).toBe(200)
      const body = upstream.requests.at(-1)!.json as Record<string, Record<string, unknown>>
      const fields = body.additionalModelRequestFields ?? body
      expect(
        body.generationConfig?.thinkingConfig ??
          fields.reasoningConfig ??
          fields.thinking ??
          body.reasoning_effort,
      ).toEqual(expected)
      if (model.startsWith('claude')) expect(body.max_tokens ?? body.inferenceConfig?.maxTokens).toBe(30_000)
      const adjustments = answer.headers['x-sluice-adjustments'] ?? ''
      if (reported === undefined) expect(adjustments).toBe('')
      else expect(adjustments).toMatch(reported)
    }
  })

  it('M12 leaves tokens for the answer where its bound is lowered', async () => {
    const { upstream } = await startRawVendor(anyVendor)
    const claude = anthropic({ apiKey: 'k', baseURL: upstream.baseURL, speaks: [] })
    for (const [maxOutputTokens, expected, reported] of [
      [2_000, { type: 'enabled', budget_tokens: 1_999 }, /"thinking";action=mapped;detail="a budget of 1999/],
      [1_000, undefined, /"thinking";action=dropped/],
    ] as const) {
      const site = await open({ m: claude('claude-opus-4-1', { maxOutputTokens }) })
      const answer = await site.message({ model: 'm', max_tokens: 30_000, thinking: budget(3_000) })
      expect(answer.status, answer.body).toBe(200)
      const body = upstream.requests.at(-1)!.json as Record<string, unknown>
      expect([body.max_tokens, body.thinking]).toEqual([maxOutputTokens, expected])
      expect(answer.headers['x-sluice-adjustments']).toMatch(reported)
    }
  })

  it('T18 keeps cache marks for vendors that read them', async () => {
    const { upstream } = await startRawVendor(anyVendor)
    const { baseURL, url } = upstream
    const site = await open({
      translated: anthropic({ apiKey: 'k', baseURL, speaks: [] })('claude-opus-4-1'),
      bedrock: bedrock({ region: 'us-east-1', bearerToken: 'k', baseURL: url, speaks: [] })(
        'us.anthropic.claude-sonnet-4-20250514-v1:0',
      ),
      gemini: gemini({ apiKey: 'k', baseURL: `${url}/v1beta` })('gemini-2.5-pro'),
    })
    const cache_control = { type: 'ephemeral' }
    const fields = {
      system: [{ type: 'text', text: 'Long.', cache_control }],
      tools: [{ ...weather, cache_control }],
      messages: [user([{ type: 'text', text: 'Hi', cache_control }])],
    }
    for (const model of ['translated', 'bedrock']) {
      const answer = await site.message({ model, ...fields })
      expect(answer.status, answer.body).toBe(200)
      expect(answer.headers).not.toHaveProperty('x-sluice-adjustments')
    }
    const [claude, aws] = upstream.requests.map(({ body }) => body)
    expect(claude!.match(/"cache_control"/g)).toHaveLength(3)
    expect(aws!.match(/"cachePoint"/g)).toHaveLength(3)
    // A mark of the request stands for one at its end.
    for (const model of ['translated', 'bedrock']) {
      await site.message({ model, cache_control, messages: [user('Hi')] })
      expect(upstream.requests.at(-1)!.body).toMatch(
        /"Hi","cache_control":\{"type":"ephemeral"\}|"Hi"\},\{"cachePoint"/,
      )
    }
  })

  it.each(foreignNames)('T21 takes calls in the conversation without tools on offer: %s', async model => {
    const { table, asked } = await startVendors(({ results }) => ({ text: results.join() }))
    const site = await open(table)
    const messages = [user('Hi'), assistant([call('toolu_1')]), user([result('toolu_1', 'wet')])]
    expect(messageOf(await site.message({ model, messages })).content[0]!.text).toContain('wet')
    if (model === 'bedrock') expect(asked(model)[0]!.tools).toEqual(['get_weather'])
  })

  it.each(familyNames)('T30 shows pictures in the result of a tool: %s', async model => {
    const { table, asked } = await startVendors(({ media }) => ({ text: media.join() }))
    const site = await open(table)
    const messages = [
      user('Hi'),
      assistant([call('toolu_1')]),
      user([result('toolu_1', [{ type: 'text', text: 'see' }, image])]),
    ]
    const answer = await site.message({ model, messages, tools: [weather] })
    expect(answer.status, answer.body).toBe(200)
    expect(asked(model)[0]!.media).toEqual(['image/png'])
  })

  it.each(foreignNames)('T31 takes an assistant that said nothing: %s', async model => {
    const { table, asked } = await startVendors(({ text }) => ({ text }))
    const site = await open(table)
    for (const content of [
      '',
      [],
      [{ type: 'text', text: '' }],
      [
        { type: 'text', text: '' },
        { type: 'text', text: 'x' },
      ],
    ]) {
      const answer = await site.message({
        model,
        messages: [
          user('Hi'),
          assistant(content),
          user([
            { type: 'text', text: '' },
            { type: 'text', text: 'More' },
          ]),
        ],
      })
      expect(answer.status, answer.body).toBe(200)
      expect(messageOf(answer).content[0]!.text).toContain('More')
    }
    for (const { body } of asked(model)) expect(JSON.stringify(body)).not.toMatch(/"text":""/)
  })

  it('T31 sends an empty result as an empty text', async () => {
    const { sent } = await sentToChat(open)
    for (const content of [undefined, '', [], [{ type: 'text', text: '' }]]) {
      const { body } = await sent({
        tools: [weather],
        messages: [user('Hi'), assistant([call('toolu_1')]), user([result('toolu_1', content)])],
      })
      expect((body.messages as object[]).at(-1)).toMatchObject({
        role: 'tool',
        tool_call_id: 'toolu_1',
        content: '',
      })
    }
  })

  describe.each(foreignNames)('to %s', model => {
    it('T37 takes replayed blocks of tools that a vendor ran', async () => {
      const { table, asked } = await startVendors(({ text }) => ({ text }))
      const site = await open(table)
      const content = [
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [
            { type: 'web_search_result', title: 'A title', url: 'https://x.test', encrypted_content: 'zzz' },
          ],
        },
        { type: 'mcp_tool_use', id: 'm', name: 'n', server_name: 's', input: {} },
        { type: 'text', text: 'So it is.' },
      ]
      const answer = await site.message({ model, messages: [user('Hi'), assistant(content), user('More')] })
      const message = messageOf(answer)
      expect(message.id).toMatch(/^msg_/)
      const sent = JSON.stringify(asked(model)[0]!.body)
      expect(sent).toContain('So it is.')
      expect(sent).not.toContain('zzz')
      expect(answer.headers['x-sluice-adjustments']).toContain('messages[1].content[0]')
    })
  })

  it('K22 lowers the bound of the output to that of the model', async () => {
    const { upstream, table } = await startRawVendor(steps.answer())
    const bounded = { ...(table.chat as Target), capabilities: { maxOutputTokens: 4_096 } }
    const site = await open({ chat: bounded })
    const answer = await site.message({ max_tokens: 128_000 })
    expect(answer.status, answer.body).toBe(200)
    expect(upstream.requests[0]!.json).toMatchObject({ max_tokens: 4_096 })
    expect(answer.headers['x-sluice-adjustments']).toMatch(/^"max_tokens";action=mapped/)
    const within = await site.message({ max_tokens: 4_096 })
    expect(within.headers).not.toHaveProperty('x-sluice-adjustments')
  })

  it('K22 takes a request of a coding client', async () => {
    const { sent } = await sentToChat(open)
    const cache_control = { type: 'ephemeral' }
    const ids = JSON.stringify({
      device_id: 'd'.repeat(64),
      account_uuid: '',
      session_id: '0b6f6a4e-5b3a-4c5e-9b3d-6c1b6f0f3c11',
    })
    const { body, adjustments } = await sent({
      max_tokens: 32_000,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.330.a1b;' },
        { type: 'text', text: 'You are a client.', cache_control },
        { type: 'text', text: 'The rest.', cache_control },
      ],
      messages: [
        user([{ type: 'text', text: 'Hi', cache_control }]),
        { role: 'system', content: 'A reminder.' },
      ],
      tools: [weather, { ...weather, name: 'later', defer_loading: true }],
      metadata: { user_id: ids },
      thinking: { type: 'adaptive', display: 'omitted' },
      context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
      output_config: { effort: 'high' },
    })
    expect(body).toMatchObject({
      reasoning_effort: 'high',
      prompt_cache_key: '0b6f6a4e-5b3a-4c5e-9b3d-6c1b6f0f3c11',
      safety_identifier: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const messages = body.messages as { role: string; content: unknown }[]
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'system'])
    expect(JSON.stringify(messages[0])).toMatch(/You are a client\..*The rest\./)
    expect(JSON.stringify(body)).not.toContain('billing')
    expect(adjustments).toMatch(/"context_management";action=dropped/)
  })
})
