import type { Target } from '@sluice/core'
import { sse, steps, type Script as UpstreamScript } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { readResponseStream } from '../../../../packages/core/test/support/read-response-stream.ts'
import { pixel } from '../../clients/script.ts'
import { used } from '../../families/family.ts'
import { memoryLedger } from './memory-ledger.ts'
import { familyNames, type Open, overPlaces, startRawVendor, startVendors } from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'Of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
  strict: false,
}
const user = (content: unknown) => ({ role: 'user', content })
const call = (call_id: string, more: object = {}) => ({
  type: 'function_call',
  call_id,
  name: 'get_weather',
  arguments: '{"city":"Paris"}',
  ...more,
})
const output = (call_id: string, value: unknown) => ({ type: 'function_call_output', call_id, output: value })
const image = { type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' }

const chunk = (delta: object, finish_reason: string | null = null) => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
})
const toolCall = (index: number, name: string, text: string) =>
  chunk({
    tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: text } }],
  })

/** What a server with chat completions was sent for a request. */
async function sentToChat(open: Open, script: UpstreamScript = steps.answer()) {
  const { upstream, table } = await startRawVendor(script)
  const site = await open(table)
  return {
    site,
    upstream,
    async sent(fields: object) {
      const answer = await site.respond(fields)
      expect(answer.status, answer.body).toBe(200)
      return {
        body: upstream.requests.at(-1)!.json as Loose,
        adjustments: answer.headers['x-sluice-adjustments'] ?? '',
        response: answer.json as Loose,
      }
    },
  }
}

/** The stream that a vendor's chunks become. */
async function streamed(open: Open, list: readonly object[], fields: object = {}) {
  const { table } = await startRawVendor(steps.stream(sse(list)))
  const site = await open(table)
  const answer = await site.respond({ stream: true, ...fields })
  expect(answer.status, answer.body).toBe(200)
  return readResponseStream(answer.body)
}

async function refused(open: Open, fields: object, options: object = {}) {
  const { table, upstream } = await startRawVendor(steps.answer())
  const site = await open(table, options)
  const answer = await site.respond(fields)
  expect(answer.status, answer.body).toBe(400)
  expect(upstream.requests).toEqual([])
  return (answer.json as Loose).error
}

const live = { validation: 'live' } as const

overPlaces(open => {
  describe('requests', () => {
    it('R1 T31 makes one turn of what the assistant said, and none of nothing', async () => {
      const { sent } = await sentToChat(open)
      const { body } = await sent({
        instructions: 'Be brief.',
        input: [
          user('Hello!'),
          { type: 'message', role: 'assistant', content: [] },
          { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
          { role: 'assistant', content: [{ type: 'output_text', text: 'I look.', annotations: [] }] },
          call('call_1'),
          call('call_2'),
          output('call_1', 'sunny'),
          output('call_2', 'rainy'),
          user([{ type: 'input_text', text: 'And now?' }]),
        ],
        tools: [weather],
      })
      expect(body.messages).toMatchObject([
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello!' },
        { role: 'assistant', content: 'I look.', tool_calls: [{ id: 'call_1' }, { id: 'call_2' }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
        { role: 'tool', tool_call_id: 'call_2', content: 'rainy' },
        { role: 'user', content: 'And now?' },
      ])
      expect(body.messages).toHaveLength(6)
    })

    it.each(familyNames)('G6 R2 K23 reaches a model of any vendor, with pictures: %s', async model => {
      const { table } = await startVendors(({ text, media }) => ({ text: `heard ${text} ${media.join()}` }))
      const site = await open(table)
      const { json } = await site.respond({
        model,
        input: [user([{ type: 'input_text', text: 'Look!' }, image])],
      })
      expect((json as Loose).output[0].content[0].text).toBe('heard Look! image/png')
      expect(json).toMatchObject({
        model,
        usage: { input_tokens: used.prompt, output_tokens: used.completion },
      })
    })

    it('R2 refuses what is no data URL, and files of an account', async () => {
      const file = (more: object) => ({ input: [user([{ type: 'input_file', filename: 'a.pdf', ...more }])] })
      expect(await refused(open, file({ file_data: 'JVBERi0=' }))).toMatchObject({
        message: expect.stringContaining("Invalid file data: 'input[0].content[0].file_data'."),
        param: 'input[0].content[0].file_data',
        code: 'invalid_value',
      })
      expect(await refused(open, file({ file_id: 'file-1' }))).toMatchObject({
        param: 'input[0].content[0].file_id',
        code: 'unsupported_value',
      })
      const { sent } = await sentToChat(open)
      const { body } = await sent(file({ file_data: 'data:application/pdf;base64,JVBERi0=' }))
      expect(body.messages[0].content[0]).toMatchObject({ type: 'file', file: { filename: 'a.pdf' } })
    })

    it('R2 T34 reads the input of an assistant as text, and refuses it where the rules are strict', async () => {
      const input = [
        user('a'),
        { role: 'assistant', content: [{ type: 'input_text', text: 'b' }] },
        user('c'),
      ]
      const { sent } = await sentToChat(open)
      expect((await sent({ input })).body.messages[1]).toEqual({ role: 'assistant', content: 'b' })
      expect(await refused(open, { input }, live)).toMatchObject({
        message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
        param: 'input[1].content[0]',
        code: 'invalid_value',
      })
    })

    it('R3 refuses a result without its call, and where the rules are strict a call without its result', async () => {
      expect(await refused(open, { input: [user('a'), output('call_9', 'x')] })).toMatchObject({
        message: 'No tool call found for function call output with call_id call_9.',
        param: 'input',
      })
      expect(await refused(open, { input: [user('a'), call('call_1'), user('b')] }, live)).toMatchObject({
        message: 'No tool output found for function call call_1.',
        param: 'input',
      })
      const { sent } = await sentToChat(open)
      await sent({ input: [user('a'), call('call_1'), user('b')] })
    })

    it('R4 refuses ids of another kind, and those that are there twice, where the rules are strict', async () => {
      const message = (id: string) => ({ type: 'message', role: 'assistant', id, content: 'x' })
      expect(await refused(open, { input: [user('a'), message('fc_1')] }, live)).toMatchObject({
        message: "Invalid 'input[1].id': 'fc_1'. Expected an ID that begins with 'msg'.",
        code: 'invalid_value',
      })
      expect(await refused(open, { input: [message('msg_1'), message('msg_1')] }, live)).toMatchObject({
        message: expect.stringContaining('Duplicate item'),
      })
      const { sent, upstream } = await sentToChat(open)
      await sent({ input: [user('a'), message('fc_canary')] })
      expect(upstream.requests[0]!.body).not.toContain('fc_canary')
    })

    it('R11 leaves hosted tools out, and refuses where one is needed', async () => {
      const { sent } = await sentToChat(open)
      const { body, adjustments } = await sent({
        tools: [{ type: 'web_search', external_web_access: true }, weather],
      })
      expect(body.tools).toHaveLength(1)
      expect(adjustments).toContain('tools[0]')
      const files = { type: 'file_search', vector_store_ids: ['vs_1'] }
      const needed = { param: 'tools[0].type', code: 'unsupported_value' }
      expect(await refused(open, { tools: [files] })).toMatchObject(needed)
      expect(
        await refused(open, { tools: [files, weather], tool_choice: { type: 'file_search' } }),
      ).toMatchObject(needed)
    })

    it('R12 R13 K4 K5 T22 T23 makes functions of all tools that a client runs', async () => {
      const long = 'n'.repeat(70)
      const { sent } = await sentToChat(open)
      const { body, adjustments } = await sent({
        tools: [
          { type: 'namespace', name: 'mcp__fs', description: 'Files', tools: [{ ...weather, name: 'read' }] },
          { type: 'namespace', name: long, description: '', tools: [{ ...weather, name: 'read' }] },
          {
            type: 'custom',
            name: 'apply_patch',
            format: { type: 'grammar', syntax: 'lark', definition: 'start: x' },
          },
          { type: 'tool_search', execution: 'client', description: 'Finds', parameters: { type: 'object' } },
          { type: 'local_shell' },
        ],
        tool_choice: { type: 'custom', name: 'apply_patch' },
        input: [
          user('a'),
          { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin' },
          { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
          { ...call('c2', { name: 'read', namespace: 'mcp__fs' }) },
          output('c2', 'text'),
          { type: 'tool_search_call', call_id: 'c3', execution: 'client', arguments: { query: 'x' } },
          {
            type: 'tool_search_output',
            call_id: 'c3',
            execution: 'client',
            tools: [{ ...weather, name: 'found' }],
          },
          {
            type: 'local_shell_call',
            id: 'lsh_1',
            call_id: 'c4',
            action: { type: 'exec', command: ['ls'], env: {} },
          },
          { type: 'local_shell_call_output', id: 'c4', output: 'a.txt' },
          { type: 'agent_message', author: 'reviewer', content: [{ type: 'input_text', text: 'Good.' }] },
        ],
      })
      const names = body.tools.map((tool: Loose) => tool.function.name)
      expect(names).toMatchObject([
        'mcp__fs__read',
        expect.stringMatching(/^n{55}_[0-9a-f]{8}$/),
        'apply_patch',
        'tool_search',
        'local_shell',
        'found',
      ])
      expect(body.tools[2].function.parameters.required).toEqual(['input'])
      expect(body.tools[2].function.description).toContain('start: x')
      expect(adjustments).toContain('tools[2]')
      expect(body.tool_choice).toEqual({ type: 'function', function: { name: 'apply_patch' } })
      const calls = body.messages.flatMap((message: Loose) => message.tool_calls ?? [])
      expect(calls.map((each: Loose) => [each.function.name, JSON.parse(each.function.arguments)])).toEqual([
        ['apply_patch', { input: '*** Begin' }],
        ['mcp__fs__read', { city: 'Paris' }],
        ['tool_search', { query: 'x' }],
        ['local_shell', { command: ['ls'], env: {} }],
      ])
      expect(
        body.messages
          .at(-1)
          .content.map((part: Loose) => part.text)
          .join(' '),
      ).toMatch(/reviewer.*Good\./)
    })

    it('R14 has every choice of a tool', async () => {
      const { sent } = await sentToChat(open)
      const chosen = async (tool_choice: unknown) =>
        (await sent({ tools: [weather], tool_choice })).body.tool_choice
      for (const word of ['auto', 'none', 'required']) expect(await chosen(word)).toBe(word)
      const named = { type: 'function', name: 'get_weather' }
      expect(await chosen(named)).toEqual({ type: 'function', function: { name: 'get_weather' } })
      expect(await chosen({ type: 'allowed_tools', mode: 'required', tools: [named] })).toEqual({
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'get_weather' } }] },
      })
      expect(
        await refused(open, { tools: [weather], tool_choice: { type: 'function', name: 'x' } }),
      ).toMatchObject({
        message: "Tool choice 'function' not found in 'tools' parameter.",
        param: 'tool_choice',
      })
    })

    it('T30 K6 shows pictures in the results of tools', async () => {
      const { sent } = await sentToChat(open)
      const { body, adjustments } = await sent({
        input: [user('a'), call('c1'), output('c1', [{ type: 'input_text', text: 'seen' }, image])],
      })
      const said = body.messages.slice(2)
      expect(said[0]).toMatchObject({ role: 'tool', tool_call_id: 'c1' })
      expect(said[1].content.some((part: Loose) => part.type === 'image_url')).toBe(true)
      expect(adjustments).toContain('input[2].output[1]')
    })

    it('T33 G7 G8 K3 reads null as absent, and takes unknown fields and items', async () => {
      const { sent } = await sentToChat(open)
      const { body, adjustments } = await sent({
        instructions: null,
        tools: null,
        temperature: null,
        text: {},
        reasoning: null,
        include: [],
        client_metadata: { a: 'b' },
        input: [
          { ...user('a'), internal_chat_message_metadata_passthrough: { x: 1 } },
          {
            type: 'reasoning',
            id: 'rs_1',
            summary: [],
            content: null,
            encrypted_content: null,
            status: null,
          },
          { type: 'item_of_tomorrow', id: 'x', y: 1 },
        ],
      })
      expect(body.messages).toEqual([{ role: 'user', content: 'a' }])
      expect(adjustments).toContain('client_metadata')
      expect(adjustments).toContain('input[2]')
      expect(JSON.stringify(body)).not.toMatch(/tomorrow|client_metadata|passthrough/)
    })

    it('has settings under their own names, and errors, too', async () => {
      const { sent } = await sentToChat(open)
      const schema = { type: 'object', properties: {}, required: [], additionalProperties: false }
      const { body } = await sent({
        max_output_tokens: 50,
        reasoning: { effort: 'low', summary: 'auto' },
        text: { format: { type: 'json_schema', name: 'x', schema, strict: true }, verbosity: 'low' },
        top_logprobs: 2,
        metadata: { a: 'b' },
      })
      expect(body).toMatchObject({
        reasoning_effort: 'low',
        response_format: { type: 'json_schema', json_schema: { name: 'x', schema, strict: true } },
        logprobs: true,
        top_logprobs: 2,
      })
      expect(body.max_completion_tokens ?? body.max_tokens).toBe(50)
      expect(await refused(open, { reasoning: { effort: 'much' } })).toMatchObject({
        param: 'reasoning.effort',
      })
      expect(await refused(open, { max_output_tokens: 15 }, live)).toMatchObject({
        param: 'max_output_tokens',
        code: 'integer_below_min_value',
      })
      expect(await refused(open, { input: undefined })).toMatchObject({
        message: "Missing required parameter: 'input'.",
        param: 'input',
      })
    })

    it('names a model that there is not in the words of the protocol', async () => {
      const { table } = await startRawVendor(steps.answer())
      const site = await open(table)
      const answer = await site.respond({ model: 'none' })
      expect(answer.status).toBe(400)
      expect((answer.json as Loose).error).toMatchObject({
        message: "The requested model 'none' does not exist.",
        type: 'invalid_request_error',
        param: 'model',
        code: 'model_not_found',
      })
    })

    it('R65 K1 T28 says at once that there is no WebSocket, and to any other GET that it takes POST', async () => {
      const { table } = await startRawVendor(steps.answer())
      const site = await open(table)
      const answer = await site.send('/responses', {
        method: 'GET',
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
          'sec-websocket-version': '13',
        },
      })
      expect([answer.status, (answer.json as Loose).error.code]).toEqual([426, 'websocket_not_supported'])
      const plain = await site.send('/responses', { method: 'GET' })
      expect([plain.status, plain.headers.allow]).toEqual([405, 'POST'])
    })
  })

  describe('responses', () => {
    it('R15 R16 has all members of the protocol, and the settings of the caller', async () => {
      const { sent } = await sentToChat(open)
      const { response } = await sent({
        tools: [{ type: 'function', name: 'f', parameters: null }],
        tool_choice: 'auto',
        metadata: { a: 'b' },
        store: true,
      })
      expect(response.tools).toEqual([
        { type: 'function', name: 'f', parameters: null, description: null, strict: true },
      ])
      const never = [
        'temperature',
        'top_p',
        'truncation',
        'text',
        'tools',
        'service_tier',
        'parallel_tool_calls',
      ]
      for (const name of never) expect(response[name], name).not.toBeNull()
      const keys =
        'id object created_at completed_at status incomplete_details model previous_response_id instructions output error tools tool_choice truncation parallel_tool_calls text top_p presence_penalty frequency_penalty top_logprobs temperature reasoning usage max_output_tokens max_tool_calls store background service_tier metadata safety_identifier prompt_cache_key user'
      expect(Object.keys(response).toSorted()).toEqual(keys.split(' ').toSorted())
      expect(response.metadata).toEqual({ a: 'b' })
    })

    it.each(familyNames)('R17 R19 R22 has text and calls in the order of the vendor: %s', async model => {
      const { table } = await startVendors(() => ({
        thought: { text: 'Let me see.', signature: 'c2lnbmVk' },
        text: 'I look.',
        calls: [
          { id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
          { id: 'call_2', name: 'get_weather', input: {} },
        ],
      }))
      const { ledger, entries } = memoryLedger()
      const site = await open(table, { ledger })
      const fields = { model, tools: [weather], input: 'weather?' }
      const answer = await site.respond(fields)
      expect(answer.status, answer.body).toBe(200)
      const whole = answer.json as Loose
      const stream = await site.respond({ ...fields, stream: true })
      const read = readResponseStream(stream.body)
      for (const response of [whole, read.response]) {
        expect(response.output.map(({ type }: Loose) => type)).toEqual([
          'reasoning',
          'message',
          // What Gemini wants back with a call.
          ...(model === 'gemini' ? ['reasoning'] : []),
          'function_call',
          'function_call',
        ])
        const [reasoning, message] = response.output
        const [first, second] = response.output.slice(-2)
        expect(reasoning).toMatchObject({ id: expect.stringMatching(/^rs_/) })
        expect(JSON.stringify(reasoning)).toContain('Let me see.')
        expect(message.content).toEqual([
          { type: 'output_text', text: 'I look.', annotations: [], logprobs: [] },
        ])
        expect(first).toMatchObject({ id: expect.stringMatching(/^fc_/), arguments: '{"city":"Paris"}' })
        expect(second).toMatchObject({ arguments: '{}', status: 'completed' })
        expect(response.usage).toEqual({
          input_tokens: used.prompt,
          input_tokens_details: { cached_tokens: used.cached, cache_write_tokens: 0 },
          output_tokens: used.completion,
          output_tokens_details: { reasoning_tokens: expect.any(Number) },
          total_tokens: used.prompt + used.completion,
        })
      }
      expect(entries).toMatchObject([{ dialect: 'responses' }, { dialect: 'responses' }])
    })

    it('R18 shows thought as a summary where one is asked for, and as text otherwise', async () => {
      const list = [chunk({ reasoning_content: 'Hm.' }), chunk({ content: 'Yes.' }), chunk({}, 'stop')]
      expect((await streamed(open, list)).items[0]).toMatchObject({
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Hm.' }],
      })
      expect((await streamed(open, list, { reasoning: { summary: 'auto' } })).items[0]).toMatchObject({
        summary: [{ type: 'summary_text', text: 'Hm.' }],
      })
    })

    it('R20 R42 is incomplete where it was cut', async () => {
      for (const [reason, said] of [
        ['length', 'max_output_tokens'],
        ['content_filter', 'content_filter'],
      ]) {
        const { response, types } = await streamed(open, [chunk({ content: 'a' }), chunk({}, reason!)])
        expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason: said } })
        expect(response.output.at(-1).status).toBe('incomplete')
        expect(types.at(-1)).toBe('response.incomplete')
      }
    })

    it('R21 R32 has links of the web in its text', async () => {
      const url_citation = { url: 'https://a.test', title: 'A', start_index: 0, end_index: 1 }
      const annotations = [{ type: 'url_citation', url_citation }]
      const list = [chunk({ content: 'a' }), chunk({ annotations }), chunk({}, 'stop')]
      const { items, types } = await streamed(open, list)
      expect(items[0].content[0].annotations).toEqual([{ type: 'url_citation', ...url_citation }])
      expect(types).toContain('response.output_text.annotation.added')
    })
  })

  describe('streams', () => {
    it('R30 R31 R38 R41 K8 T5 T6 has its events in order, and its end', async () => {
      const { types } = await streamed(open, [
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo' }),
        chunk({}, 'stop'),
      ])
      expect(types).toEqual([
        'response.created',
        'response.in_progress',
        'response.output_item.added',
        'response.content_part.added',
        'response.output_text.delta',
        'response.output_text.delta',
        'response.output_text.done',
        'response.content_part.done',
        'response.output_item.done',
        'response.completed',
      ])
    })

    it('R33 has refusals with events of their own', async () => {
      const { types, items } = await streamed(open, [chunk({ refusal: 'No.' }), chunk({}, 'stop')])
      expect(types).toContain('response.refusal.done')
      expect(items[0].content).toEqual([{ type: 'refusal', refusal: 'No.' }])
    })

    it('R34 R35 R36 R37 K5 streams calls and thought, by the names of the caller', async () => {
      const tools = [
        { type: 'namespace', name: 'mcp__fs', description: '', tools: [{ ...weather, name: 'read' }] },
        { type: 'custom', name: 'apply_patch' },
        { type: 'tool_search', execution: 'client', description: 'Finds', parameters: { type: 'object' } },
      ]
      const { items, types } = await streamed(
        open,
        [
          chunk({ reasoning_content: 'Hm.' }),
          toolCall(0, 'mcp__fs__read', '{"a":1}'),
          toolCall(1, 'apply_patch', '{"input":"*** Begin"}'),
          toolCall(2, 'tool_search', '{"query":"x"}'),
          chunk({}, 'tool_calls'),
        ],
        { tools },
      )
      expect(items.slice(1)).toMatchObject([
        { type: 'function_call', name: 'read', namespace: 'mcp__fs', arguments: '{"a":1}' },
        { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin' },
        { type: 'tool_search_call', execution: 'client', arguments: { query: 'x' } },
      ])
      for (const type of ['reasoning_text', 'function_call_arguments', 'custom_tool_call_input'])
        expect(types).toContain(`response.${type}.done`)
    })

    it('R39 R40 T8 T9 ends with an error and as failed where the vendor breaks off', async () => {
      const { table } = await startRawVendor(steps.stream([...sse([chunk({ content: 'one' })]).slice(0, 1)]))
      const site = await open(table)
      const { error, response, types } = readResponseStream((await site.respond({ stream: true })).body)
      expect(types.slice(-2)).toEqual(['error', 'response.failed'])
      expect(error).toMatchObject({ code: 'server_error', error: { code: 'server_error' } })
      expect(response).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
      expect(response.output.at(-1).status).toBe('incomplete')
    })
  })

  describe('vendors of the protocol', () => {
    const answered = (more: object = {}) => ({
      id: 'resp_vendor',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'vendor-model',
      store: false,
      output: [
        {
          id: 'msg_v',
          type: 'message',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'Hi', annotations: [] }],
        },
      ],
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 3,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 8,
      },
      new_member: [1, null],
      ...more,
    })

    it('G20 G22 R50 get the request as it came, and store nothing', async () => {
      const { table, upstream } = await startRawVendor(steps.reply(answered()))
      const { ledger, closings } = memoryLedger()
      const site = await open(table, { ledger })
      const body = `{"model":"responses", "input":[ {"role":"user","content":"\\u0041"},{"type":"item_of_tomorrow","n":1.50e3} ], "client_metadata": null, "tools":[{"type":"web_search"}]}`
      const answer = await site.send('/responses', { method: 'POST', body })
      expect(answer.status, answer.body).toBe(200)
      expect(upstream.requests[0]!.body).toBe(
        body.replace('"responses"', '"vendor-model"').replace(/\}$/, ',"store":false}'),
      )
      const response = answer.json as Loose
      expect(response).toMatchObject({ model: 'responses', new_member: [1, null], output: answered().output })
      expect(response.id).toMatch(/^resp_[0-9a-f]{32}$/)
      expect((await closings(1))[0]!.charge).toMatchObject({ promptTokens: 5, completionTokens: 3 })
    })

    it('R43 T7 T44 T45 have their streams mended', async () => {
      const events = (list: readonly object[]) =>
        list.map(each => `data: ${JSON.stringify(each)}\n\n`).join('')
      const message = { type: 'message', role: 'assistant', status: 'in_progress', content: [] }
      const text = { type: 'output_text', text: 'Hi', annotations: [] }
      const script = steps.stream([
        events([
          { type: 'response.created', response: answered({ status: 'in_progress', output: [] }) },
          { type: 'response.output_item.added', output_index: 0, item: { ...message, id: 'a' } },
          {
            type: 'response.output_text.delta',
            item_id: 'b',
            output_index: 0,
            content_index: 0,
            delta: 'Hi',
          },
          {
            type: 'response.output_item.done',
            output_index: 0,
            item: { ...message, id: 'c', status: 'completed', content: [text] },
          },
          { type: 'response.completed', response: answered({ output: [] }) },
        ]),
      ])
      const { table } = await startRawVendor(script)
      const site = await open(table)
      const answer = await site.respond({ model: 'responses', stream: true })
      expect(answer.status, answer.body).toBe(200)
      const events2 = answer.body
      expect(events2).toContain('"delta":"Hi"')
      expect(events2).toContain('data: [DONE]')
      const last = JSON.parse(events2.match(/event: response\.completed\ndata: (.*)/)![1]!)
      expect(last.response.output).toMatchObject([{ id: 'a', content: [{ text: 'Hi' }] }])
    })

    it('keep the tools that they run from keys with a list of models', async () => {
      const { table, upstream } = await startRawVendor(steps.reply(answered()))
      const target = table.responses as Target
      const site = await open({ other: target })
      const search = { type: 'web_search' }
      const own = { type: 'function', name: 'get_weather', parameters: {} }
      const limited = { key: 'narrow-key' }
      for (const needed of [
        { tools: [search] },
        { tools: [own, search], tool_choice: search },
        { tools: [own, search], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [search] } },
      ]) {
        const refused = await site.respond({ model: 'other', ...needed }, limited)
        expect([refused.status, upstream.requests.length]).toEqual([400, 0])
        expect((refused.json as Loose).error.param).toMatch(/^tools\[[01]\]\.type$/)
      }
      const offered = { model: 'other', tools: [search, own], input: [{ role: 'user', content: 'x' }] }
      const added = { ...offered, tools: [own], input: [{ type: 'additional_tools', tools: [own, search] }] }
      for (const [body, place] of [
        [offered, 'tools[0]'],
        [added, 'input[0].tools[1]'],
      ] as const) {
        const answer = await site.respond(body, limited)
        expect(answer.status, answer.body).toBe(200)
        expect(answer.headers['x-sluice-adjustments']).toContain(`"${place}";action=dropped`)
        const sent = upstream.requests.at(-1)!.json as Loose
        expect(JSON.stringify(sent)).not.toContain('web_search')
        expect(sent.tools).toEqual([own])
        expect((await site.respond(body)).headers).not.toHaveProperty('x-sluice-adjustments')
        expect(JSON.stringify(upstream.requests.at(-1)!.json)).toContain('web_search')
      }
      const allowing = await open({ other: { ...target, allowFields: ['server_tools'] } })
      expect((await allowing.respond({ model: 'other', tools: [search] }, limited)).status).toBe(200)
    })

    it('G21 have their refusals passed on', async () => {
      const error = {
        error: { message: 'No such tool.', type: 'invalid_request_error', param: 'tools[0]', code: 'x_y' },
      }
      const { table } = await startRawVendor(steps.reply(error, { status: 400 }))
      const site = await open(table)
      const answer = await site.respond({ model: 'responses' })
      expect([answer.status, answer.json]).toEqual([400, error])
    })
  })

  it.each(familyNames)('input_tokens counts, and takes no limit of tokens: %s', async model => {
    const { table } = await startVendors(() => ({ text: 'x' }))
    const site = await open(table)
    const answer = await site.send('/responses/input_tokens', {
      method: 'POST',
      body: { model, input: 'Hello!' },
    })
    expect(answer.status, answer.body).toBe(200)
    expect(answer.json).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) })
  })
})
