import { fallback, type Target, type Transport, tokens } from '@sluice/core'
import { anthropic, bedrock, openaiCompatible } from '@sluice/providers'
import { steps } from '@sluice/testing'
import { expect, it } from 'vitest'
import { eventsOf, expectMessagesError } from './inbound-site.ts'
import { memoryLedger } from './memory-ledger.ts'
import { overPlaces, startRawVendor } from './over-places.ts'

/** A message as a vendor writes it, with members that nobody knows. */
const vendorMessage =
  '{ "id":"msg_v", "type":"message","role":"assistant","model":"vendor-model","content":[{"type":"text","text":"caf\\u00e9 \\ud83d\\ude00","new":null},{"type":"new_block","x":1.0}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":11,"output_tokens":7,"cache_read_input_tokens":2,"new_count":1e2},"later":{"a":[ ]} }'

const vendorEvents = [
  'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_v","type":"message","role":"assistant","model":"vendor-model","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":11,"output_tokens":1},"new":[ ]}}',
  'event: ping\ndata: {"type": "ping"}',
  'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"caf\\u00e9"}}',
  'event: new_event\ndata: {"type":"new_event","a":1.0}',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"new_delta","x":"\\/"}}',
  'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" au lait"}}',
  'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}',
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":7}}',
  'event: message_stop\ndata: {"type":"message_stop"}',
].map(event => `${event}\n\n`)

const json = { headers: { 'content-type': 'application/json' } }
const answering = steps.reply(vendorMessage, json)
const streaming = steps.stream(vendorEvents, { headers: { 'content-type': 'text/event-stream' } })
const either = ({ json: body }: { readonly json: object | undefined }) =>
  (body as { stream?: boolean } | undefined)?.stream === true ? streaming : answering

overPlaces(open => {
  it('G10 T24 sends two headers of the caller to a vendor of the protocol, and no other', async () => {
    const { upstream, table } = await startRawVendor(either)
    const site = await open(table)
    const beta = 'one-2025-01-01, two-2025-02-02,one-2025-01-01'
    const headers = {
      'anthropic-version': '2026-10-21',
      'anthropic-beta': beta,
      'x-app': 'cli',
      'x-claude-code-session-id': 's',
      'x-stainless-os': 'Linux',
      'user-agent': 'claude-cli/2',
      cookie: 'a=b',
      'openai-organization': 'org',
    }
    expect((await site.message({ model: 'native' }, { headers })).status).toBe(200)
    const sent = upstream.requests[0]!.headers
    expect(sent['anthropic-version']).toBe('2026-10-21')
    expect(sent['anthropic-beta']).toBe(beta)
    for (const name of [
      'x-app',
      'x-claude-code-session-id',
      'x-stainless-os',
      'cookie',
      'openai-organization',
      'authorization',
    ]) {
      expect(sent).not.toHaveProperty(name)
    }
    expect(sent['x-api-key']).toBe('sk-vendor-canary')
    expect(sent['user-agent'] ?? '').not.toContain('claude-cli')
    await site.message({}, { headers })
    const foreign = upstream.requests[1]!
    expect(foreign.path).toBe('/v1/chat/completions')
    expect(Object.keys(foreign.headers).filter(name => name.startsWith('anthropic'))).toEqual([])
  })

  it('G10 T24 puts betas into the body where the host wants them there', async () => {
    const { upstream } = await startRawVendor(answering)
    const claude = bedrock({ region: 'us-east-1', bearerToken: 'k', baseURL: upstream.url })
    const site = await open({ native: claude('us.anthropic.claude-sonnet-4-20250514-v1:0') })
    const beta = 'context-1m-2025-08-07,never-heard-of-2031-01-01'
    const answer = await site.message({ model: 'native' }, { headers: { 'anthropic-beta': beta } })
    expect(answer.status, answer.body).toBe(200)
    const [{ json: body, headers }] = upstream.requests as [(typeof upstream.requests)[number]]
    expect(headers).not.toHaveProperty('anthropic-beta')
    expect(body!.anthropic_beta).toEqual(['context-1m-2025-08-07'])
    expect(body!.anthropic_version).toBe('bedrock-2023-05-31')
    expect(answer.headers['x-sluice-adjustments']).toMatch(/never-heard-of/)
  })

  it('G20 T25 sends the body as it came, but for the model', async () => {
    const { upstream, table } = await startRawVendor(answering)
    const site = await open({ ...table, 'vendor-model': table.native })
    const body = (model: string) =>
      `{"messages" : [{"role":"user","content":[{"type":"new_block","n":1.50,"big":9007199254740991}]},\n {"role":"assistant","content":[{"type":"thinking","thinking":"\\u0061\\ud83d\\ude00","signature":"Ab\\/+=\\u00e9"},{"type":"redacted_thinking","data":"x=="}]},{"role":"user","content":""}],"model":"${model}", "max_tokens":1e2, "future":null,"temperature":0.70}`
    const named = await site.message({}, { body: body('native') })
    expect(named.status, named.body).toBe(200)
    expect(upstream.requests[0]!.body).toBe(body('vendor-model'))
    expect((await site.message({}, { body: body('vendor-model') })).status).toBe(200)
    expect(upstream.requests[1]!.body).toBe(body('vendor-model'))
    expect(upstream.requests[0]!.path).toBe('/v1/messages')
  })

  it.each(['a', '\\u65e5\u65e5', 'a\ud83d\ude00'])(
    'G20 sends a long body as it came, but for the model: %j',
    async unit => {
      const { upstream, table } = await startRawVendor(answering)
      const site = await open(table)
      const body = (model: string) =>
        `{"max_tokens":5,"model":"${model}","messages":[{"role":"user","content":"${unit.repeat(50_000)}"}], "a" : 1.0}`
      expect((await site.message({}, { body: body('native') })).status).toBe(200)
      expect(upstream.requests[0]!.body === body('vendor-model')).toBe(true)
    },
  )

  it('G20 edits what the target and the limits say, and nothing else', async () => {
    const { upstream, table } = await startRawVendor(answering)
    const native = { ...(table.native as Target), parameters: { temperature: 0.5, top_p: null } }
    const site = await open({ native })
    const body =
      '{"model":"native","max_tokens":5,"messages":[{"role":"user","content":"x"}],"temperature":1,"top_p":0.9, "a" : null}'
    expect((await site.message({}, { body })).status).toBe(200)
    const sent = upstream.requests[0]!
    expect(sent.json).toEqual({
      ...JSON.parse(body),
      model: 'vendor-model',
      temperature: 0.5,
      top_p: undefined,
    })
    expect(sent.body).toContain(' "a" : null')
  })

  it('G21 leaves what only the vendor can judge to the vendor', async () => {
    const refusal = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'temperature: too hot', details: { a: 1 } },
      request_id: 'req_vendor',
    }
    const { upstream, table } = await startRawVendor(steps.reply(refusal, { status: 422 }))
    const site = await open(table)
    const refused = await site.message({
      model: 'native',
      temperature: 9,
      tools: 'x',
      top_k: -1,
      thinking: { type: 'new' },
    })
    expect(refused.status).toBe(422)
    expect(refused.json).toMatchObject({ type: 'error', error: refusal.error })
    expect(upstream.requests).toHaveLength(1)
    for (const fields of [
      { max_tokens: undefined },
      { max_tokens: 'x' },
      { max_tokens: -1 },
      { stream: 'yes' },
      { messages: 7 },
    ]) {
      expectMessagesError(await site.message({ model: 'native', ...fields }), 400, 'invalid_request_error')
    }
    expect(upstream.requests).toHaveLength(1)
  })

  it('keeps the tools that a vendor runs from keys with a list of models', async () => {
    const { table, upstream } = await startRawVendor(answering)
    const site = await open({ other: table.native })
    const search = { type: 'web_search_20250305', name: 'web_search' }
    const own = { name: 'get_weather', input_schema: { type: 'object' } }
    const limited = { key: 'narrow-key' }
    for (const needed of [
      { tools: [search] },
      { tools: [search, own], tool_choice: { type: 'tool', name: 'web_search' } },
    ]) {
      const refused = await site.message({ model: 'other', ...needed }, limited)
      expectMessagesError(refused, 400, 'invalid_request_error', /^tools\.0\.type/)
    }
    expect(upstream.requests).toHaveLength(0)
    const offered = { model: 'other', tools: [own, search] }
    const answer = await site.message(offered, limited)
    expect(answer.status, answer.body).toBe(200)
    expect(answer.headers['x-sluice-adjustments']).toContain('"tools[1]";action=dropped')
    expect(upstream.requests.at(-1)!.json!.tools).toEqual([own])
    await site.message(offered)
    expect(upstream.requests.at(-1)!.json!.tools).toEqual([own, search])
  })

  it.each([400, 404, 409, 413, 422])('G21 passes on what the vendor refuses with %s', async status => {
    const error = { type: 'some_error', message: `refused with ${status}` }
    const { table } = await startRawVendor(
      steps.reply({ type: 'error', error, request_id: 'req_v' }, { status }),
    )
    const site = await open(table)
    for (const stream of [false, true]) {
      const answer = await site.message({ model: 'native', stream })
      expect(answer.status, answer.body).toBe(status)
      expect(answer.json).toMatchObject({ type: 'error', error })
    }
  })

  it.each([401, 403])('G21 tells nothing of our own key where the vendor refuses it: %s', async status => {
    const error = { type: 'authentication_error', message: 'invalid x-api-key sk-vendor-canary of org 77' }
    const { table } = await startRawVendor(steps.reply({ type: 'error', error }, { status }))
    const answer = await (await open(table)).message({ model: 'native' })
    expectMessagesError(answer, 502, 'api_error')
    expect(Buffer.from(answer.received).toString()).not.toMatch(/canary|org 77/)
  })

  it('G22 answers with the text of the vendor, but for the model', async () => {
    const { table } = await startRawVendor(answering)
    const site = await open({ ...table, 'vendor-model': table.native })
    const named = await site.message({ model: 'native' })
    expect(named.body).toBe(vendorMessage.replace('vendor-model', 'native'))
    expect((await site.message({ model: 'vendor-model' })).body).toBe(vendorMessage)
  })

  it('G22 T12 passes each event on once and in order, also those that nobody knows', async () => {
    const { table } = await startRawVendor(streaming)
    const site = await open(table)
    const answer = await site.message({ model: 'native', stream: true })
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(answer.body).toBe(vendorEvents.join('').replace('vendor-model', 'native'))
  })

  it.each([false, true])('G23 reads usage from what it passes on, stream: %s', async stream => {
    const { table } = await startRawVendor(either)
    const { ledger, closings } = memoryLedger()
    const site = await open(table, { ledger, limits: [tokens(2_020).per('hour')] })
    expect((await site.message({ model: 'native', stream })).status).toBe(200)
    const [closing] = await closings(1)
    const cached = stream ? 0 : 2
    expect(closing).toMatchObject({
      outcome: 'completed',
      estimated: false,
      responseModel: 'vendor-model',
      charge: { promptTokens: 11 + cached, completionTokens: 7, cachedTokens: cached },
    })
    // The reservation of 1,000 has been replaced by what the vendor counted.
    const left = (await site.message({ model: 'native', stream })).headers[
      'anthropic-ratelimit-tokens-remaining'
    ]
    expect(Number(left)).toBeGreaterThan(900)
  })

  it.each<[string, readonly string[]]>([
    ['cut off', vendorEvents.slice(0, 4)],
    [
      'an error of the vendor',
      [
        ...vendorEvents.slice(0, 4),
        'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"busy"}}\n\n',
      ],
    ],
    [
      'an event that is no JSON',
      [...vendorEvents.slice(0, 4), 'event: content_block_delta\ndata: {"type":\n\n'],
    ],
  ])('G23 ends a stream that breaks with one error: %s', async (_, events) => {
    const { table } = await startRawVendor(steps.stream(events))
    const { ledger, closings } = memoryLedger()
    const site = await open(table, { ledger })
    const found = await eventsOf(await site.message({ model: 'native', stream: true }))
    expect(found.map(({ type }) => type)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
      'error',
    ])
    expect((await closings(1))[0]).toMatchObject({ outcome: 'upstream_failed' })
  })

  it.each([false, true])(
    'G24 falls back to the other kind before the first content, stream: %s',
    async stream => {
      const busy = steps.reply(
        { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
        { status: 529 },
      )
      let failing = '/messages'
      const { upstream, table } = await startRawVendor(({ path, json: body }) => {
        if (path.endsWith(failing)) return busy
        return path.endsWith('/messages') ? either({ json: body }) : steps.answer({ text: 'from chat' })
      })
      const site = await open({
        down: fallback(table.native, table.chat),
        up: fallback(table.chat, table.native),
      })
      const signature = 'Sig=='
      const messages = [
        { role: 'user', content: 'Hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature },
            { type: 'text', text: 'Yes' },
          ],
        },
        { role: 'user', content: 'And?' },
      ]
      const down = await site.message({ model: 'down', stream, messages })
      expect(down.status, down.body).toBe(200)
      expect(down.body).toContain('chat')
      const [first, second] = upstream.requests
      expect([first!.path, second!.path]).toEqual(['/v1/messages', '/v1/chat/completions'])
      expect(first!.json!.messages).toEqual(messages)
      expect(second!.json!.messages).toMatchObject([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Yes' },
        { role: 'user', content: 'And?' },
      ])
      expect(second!.json).not.toHaveProperty('system')
      failing = '/completions'
      const up = await site.message({ model: 'up', stream, messages })
      expect(up.status, up.body).toBe(200)
      expect(up.body).toContain('msg_v')
      expect(upstream.requests.at(-1)!.json).toMatchObject({ messages, model: 'vendor-model' })
    },
  )

  it('G25 asks a target in the dialects that its options say, whatever its model is called', async () => {
    const { upstream } = await startRawVendor(({ path }) =>
      path.endsWith('/messages') ? answering : steps.answer(),
    )
    const { baseURL } = upstream
    const server = { name: 'server', baseURL, apiKey: 'k' }
    const site = await open({
      plain: openaiCompatible(server)('claude-opus-4-1'),
      speaking: openaiCompatible({ ...server, speaks: ['messages'] })('llama'),
      silent: anthropic({ apiKey: 'k', baseURL, speaks: [] })('claude-opus-4-1'),
    })
    for (const model of ['plain', 'speaking', 'silent']) {
      const answer = await site.message({ model, future: 1 })
      expect(answer.status, answer.body).toBe(200)
    }
    expect(upstream.requests.map(({ path, json: body }) => [path, body!.future])).toEqual([
      ['/v1/chat/completions', undefined],
      ['/v1/messages', 1],
      ['/v1/messages', undefined],
    ])
  })

  it('G34 T36 leaves out the billing line of a client, but for the vendor that reads it', async () => {
    const { upstream, table } = await startRawVendor(({ path }) =>
      path.endsWith('/messages') ? answering : steps.answer(),
    )
    const site = await open(table)
    const billing = {
      type: 'text',
      text: 'x-anthropic-billing-header: cc_version=2.1.330.abc; cc_entrypoint=cli;',
    }
    const system = [
      billing,
      { type: 'text', text: 'You are a client.', cache_control: { type: 'ephemeral' } },
    ]
    for (const model of ['native', 'chat']) {
      const answer = await site.message({ model, system })
      expect(answer.status, answer.body).toBe(200)
      expect(answer.headers['x-sluice-adjustments']).toMatch(/"system\[0\]";action=dropped/)
    }
    expect(upstream.requests[0]!.json!.system).toEqual(system.slice(1))
    expect(upstream.requests[1]!.json!.messages).toMatchObject([
      { content: [{ text: 'You are a client.' }] },
      { role: 'user' },
    ])
    for (const { body } of upstream.requests) expect(body).not.toContain('billing')
    const hosts: string[] = []
    const transport: Transport = async ({ url, method, headers, body }, signal) => {
      const { host, pathname } = new URL(url)
      hosts.push(host)
      const {
        status,
        headers: got,
        body: read,
      } = await fetch(upstream.url + pathname, { method, headers, body, signal } as RequestInit)
      return { status, headers: got, body: read as unknown as AsyncIterable<Uint8Array> }
    }
    const home = await open({ native: anthropic({ apiKey: 'k' })('claude-opus-4-1') }, { transport })
    const answer = await home.message({ model: 'native', system })
    expect(answer.status, answer.body).toBe(200)
    expect(answer.headers).not.toHaveProperty('x-sluice-adjustments')
    expect(hosts).toEqual(['api.anthropic.com'])
    expect(upstream.requests.at(-1)!.json!.system).toEqual(system)
  })

  it('M1 sends the version of the caller to a vendor of the protocol, and none is the first', async () => {
    const { upstream, table } = await startRawVendor(({ path }) =>
      path.endsWith('/messages') ? answering : steps.answer(),
    )
    const site = await open(table)
    for (const version of [null, '2023-06-01', '2026-10-21', '2031-01-01']) {
      const headers = { 'anthropic-version': version }
      for (const model of ['native', 'chat']) {
        const answer = await site.message({ model, temperature: 1 }, { headers })
        expect(answer.status, answer.body).toBe(200)
      }
    }
    const native = upstream.requests.filter(({ path }) => path.endsWith('/messages'))
    expect(native.map(({ headers }) => headers['anthropic-version'])).toEqual([
      '2023-06-01',
      '2023-06-01',
      '2026-10-21',
      '2031-01-01',
    ])
    const bodies = upstream.requests.filter(({ path }) => !path.endsWith('/messages')).map(({ body }) => body)
    expect(new Set(bodies).size).toBe(1)
  })

  it('M1 is as strict as the version where the gateway is to be as strict as the vendor', async () => {
    const { table } = await startRawVendor(steps.answer())
    const site = await open(table, { validation: 'live' })
    const at = (version: string) => ({ headers: { 'anthropic-version': version } })
    for (const name of ['temperature', 'top_p', 'top_k']) {
      expectMessagesError(
        await site.message({ [name]: 1 }, at('2026-10-21')),
        400,
        'invalid_request_error',
        new RegExp(`^${name}: `),
      )
    }
    expect((await site.message({ temperature: 1 }, at('2023-06-01'))).status).toBe(200)
    expect((await site.message({}, at('2026-10-21'))).status).toBe(200)
    const source = { type: 'text', media_type: 'text/plain', data: 'x' }
    const document = { type: 'document', source }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [document] },
      { role: 'user', content: 'x' },
    ]
    expectMessagesError(await site.message({ messages }, at('2026-10-21')), 400, 'invalid_request_error')
    expect((await site.message({ messages }, at('2023-06-01'))).status).toBe(200)
  })

  it('M2 refuses nothing for a beta', async () => {
    const { upstream, table } = await startRawVendor(steps.answer())
    const site = await open(table)
    for (const beta of ['', 'no-such-beta', ',,;=', 'x'.repeat(4_000)]) {
      const answer = await site.message({}, { headers: { 'anthropic-beta': beta } })
      expect(answer.status, answer.body).toBe(200)
    }
    for (const { headers } of upstream.requests) expect(headers).not.toHaveProperty('anthropic-beta')
  })
})
