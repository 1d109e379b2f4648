import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { leastBody, readMessagesRequest } from '../../../test/support/messages-request.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject, JsonValue } from '../../protocol/chat.ts'
import { messagesError } from './error.ts'
import { strictVersion, versionHeader } from './wire-names.ts'

type Given = Parameters<typeof readMessagesRequest>[1]

/** Returns the message of the error that a caller gets, or `undefined` for a valid request. */
function refusalOf(body: JsonObject, given?: Given): string | undefined {
  try {
    readMessagesRequest(body, given)
    return undefined
  } catch (error) {
    if (!GatewayError.is(error)) throw error
    const { status, body: written } = messagesError(error, 'r')
    expect(status).toBe(400)
    return (written as { error: { message: string } }).error.message
  }
}

const withMember = (more: JsonObject, given?: Given) => refusalOf({ ...leastBody, ...more }, given)
const inUser = (...content: JsonValue[]) => withMember({ messages: [{ role: 'user', content }] })
const tool = { name: 'f', input_schema: { type: 'object' } }

describe('a request of the Messages API', () => {
  it.each<[JsonObject, string]>([
    [{ max_tokens: null }, 'max_tokens: Field required'],
    [{ max_tokens: '5' }, 'max_tokens: Input should be a valid integer'],
    [{ max_tokens: 1.5 }, 'max_tokens: Input should be a valid integer'],
    [{ max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
    [{ messages: null }, 'messages: Field required'],
    [{ messages: 'Hi' }, 'messages: Input should be a valid list'],
    [{ messages: [] }, 'messages: at least one message is required'],
    [{ messages: ['Hi'] }, 'messages.0: Input should be an object'],
    [{ messages: [{ content: 'Hi' }] }, 'messages.0.role: Field required'],
    [
      { messages: [{ role: 'tool', content: 'Hi' }] },
      "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ],
    [{ messages: [{ role: 'user' }] }, 'messages.0.content: Field required'],
    [
      { messages: [{ role: 'user', content: 7 }] },
      'messages.0.content: Input should be a valid string or a list of blocks',
    ],
    [{ system: 7 }, 'system: Input should be a valid string or a list of blocks'],
    [{ system: [{ type: 'text' }] }, 'system.0.text: Field required'],
    [{ stream: 'yes' }, 'stream: Input should be a valid boolean'],
    [{ stop_sequences: 'END' }, 'stop_sequences: Input should be a valid list'],
    [{ stop_sequences: ['a', 7] }, 'stop_sequences.1: Input should be a valid string'],
    [{ temperature: 1.1 }, 'temperature: Input should be less than or equal to 1'],
    [{ top_p: -1 }, 'top_p: Input should be greater than or equal to 0'],
    [{ top_k: 1.5 }, 'top_k: Input should be a valid integer'],
    [{ metadata: 'x' }, 'metadata: Input should be an object'],
    [{ metadata: { user_id: 7 } }, 'metadata.user_id: Input should be a valid string'],
    [{ service_tier: 'flex' }, "service_tier: Input should be 'auto' or 'standard_only'"],
    [{ thinking: {} }, 'thinking.type: Field required'],
    [{ thinking: { type: 'enabled' } }, 'thinking.budget_tokens: Field required'],
    [
      { thinking: { type: 'enabled', budget_tokens: 9 } },
      'thinking.budget_tokens: Input should be greater than or equal to 1024',
    ],
    [
      { output_config: { effort: 'huge' } },
      "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
    ],
    [
      { output_config: { format: { type: 'json' } } },
      "output_config.format.type: Input should be 'json_schema'",
    ],
    [{ output_format: { type: 'json_schema' } }, 'output_format.schema: Field required'],
    [{ tools: {} }, 'tools: Input should be a valid list'],
    [{ tools: ['f'] }, 'tools.0: Input should be an object'],
    [{ tools: [{}] }, 'tools.0.name: Field required'],
    [
      { tools: [{ name: 'a b', input_schema: {} }] },
      "tools.0.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [{ tools: [{ name: 'f' }] }, 'tools.0.input_schema: Field required'],
    [{ tools: [tool, tool] }, 'tools: Tool names must be unique.'],
    [{ tool_choice: 'auto', tools: [tool] }, 'tool_choice: Input should be an object'],
    [
      { tool_choice: { type: 'some' }, tools: [tool] },
      "tool_choice.type: Input should be 'auto', 'any', 'tool' or 'none'",
    ],
    [{ tool_choice: { type: 'any' } }, 'tool_choice: may only be specified while providing tools'],
    [
      { tool_choice: { type: 'tool', name: 'g' }, tools: [tool] },
      "tool_choice: Tool 'g' not found in provided tools",
    ],
  ])('is refused for %j', (more, message) => {
    expect(withMember(more)).toBe(message)
  })

  it.each<[JsonValue, string]>([
    ['Hi', 'messages.0.content.0: Input should be an object'],
    [{}, 'messages.0.content.0.type: Field required'],
    [{ type: 7 }, 'messages.0.content.0.type: Input should be a valid string'],
    [{ type: 'text' }, 'messages.0.content.0.text: Field required'],
    [{ type: 'text', text: 7 }, 'messages.0.content.0.text: Input should be a valid string'],
    [{ type: 'image' }, 'messages.0.content.0.source: Field required'],
    [{ type: 'image', source: {} }, 'messages.0.content.0.source.type: Field required'],
    [
      { type: 'image', source: { type: 'base64', media_type: 'image/png' } },
      'messages.0.content.0.source.data: Field required',
    ],
    [{ type: 'document', source: { type: 'url' } }, 'messages.0.content.0.source.url: Field required'],
    [{ type: 'tool_result' }, 'messages.0.content.0.tool_use_id: Field required'],
    [
      { type: 'tool_result', tool_use_id: 'a', content: 7 },
      'messages.0.content.0.content: Input should be a valid string or a list of blocks',
    ],
    [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text' }] },
      'messages.0.content.0.content.0.text: Field required',
    ],
    [
      { type: 'tool_result', tool_use_id: 'a', is_error: 'no' },
      'messages.0.content.0.is_error: Input should be a valid boolean',
    ],
    [{ type: 'thinking', thinking: '' }, 'messages.0.content.0.signature: Field required'],
    [
      { type: 'tool_use', id: 'a', name: 'f', input: '{}' },
      'messages.0.content.0.input: Input should be an object',
    ],
  ])('is refused for the block %j', (block, message) => {
    expect(inUser(block)).toBe(message)
  })

  it('is refused for a result without its call in the turn before', () => {
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })
    const called = (id: string) => ({
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'f', input: {} }],
    })
    const unexpected = (path: string, id: string) =>
      `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    expect(inUser(result('a'))).toBe(unexpected('messages.0.content.0', 'a'))
    const user = (...content: JsonValue[]) => ({ role: 'user', content })
    expect(withMember({ messages: [called('a'), user(result('a'), result('b'))] })).toBe(
      unexpected('messages.1.content.1', 'b'),
    )
    expect(withMember({ messages: [called('a'), user(result('a')), called('b'), user(result('a'))] })).toBe(
      unexpected('messages.3.content.0', 'a'),
    )
    const system = { role: 'system', content: 'Be quick.' }
    expect(
      withMember({ messages: [called('a'), called('b'), system, user(result('b')), user(result('a'))] }),
    ).toBeUndefined()
    expect(withMember({ messages: [called('a'), system, called('b'), user(result('a'))] })).toBeUndefined()
  })

  it('may have fields, blocks and tools of unknown types', () => {
    const unknown = { type: 'new_block', content: [1] }
    const messages = [
      { role: 'user', content: [unknown, { type: 'image', source: { type: 'new' } }] },
      { role: 'assistant', content: [unknown] },
    ]
    expect(
      withMember({ messages, tools: [{ type: 'new_tool_20300101' }], new_field: { a: 1 } }),
    ).toBeUndefined()
    expect(withMember({ new_field: 1 }, { rules: { unknownParameters: 'reject' } })).toBe(
      'new_field: Extra inputs are not permitted',
    )
    expect(withMember({ context_management: {} }, { rules: { unknownParameters: 'reject' } })).toBeUndefined()
  })

  it('takes null for absent', () => {
    const nulls = Object.fromEntries(
      [
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
        'metadata',
        'service_tier',
        'container',
      ].map(name => [name, null]),
    )
    expect(withMember(nulls)).toBeUndefined()
    expect(readMessagesRequest({ ...leastBody, ...nulls }).unknownFields).toBeUndefined()
  })

  it('names the fields that a provider may restrict', () => {
    const more = {
      top_k: 1,
      service_tier: 'auto',
      container: 'c',
      models: [],
      tools: [{ type: 'web_search_20250305', name: 'web_search' }],
    }
    expect(readMessagesRequest({ ...leastBody, ...more })).toMatchObject({
      unknownFields: ['container', 'models'],
      serverTool: 'tools[0].type',
    })
    const { unknownFields, serverTool } = readMessagesRequest({ ...leastBody, tools: [tool] })
    expect([unknownFields, serverTool]).toEqual([undefined, undefined])
  })

  it('may have its context cleared, but not summarized, where that is restricted', () => {
    const unknownIn = (...types: JsonValue[]) => {
      const edits = types.map(type => ({ type }))
      return readMessagesRequest({ ...leastBody, context_management: { edits } }).unknownFields
    }
    expect(unknownIn('clear_thinking_20251015', 'clear_tool_uses_20250919')).toBeUndefined()
    for (const types of [['clear_thinking_20251015', 'compact_20260112'], [7]]) {
      expect(unknownIn(...types)).toEqual(['context_management'])
    }
    for (const context of ['x', [], { edits: [], other: 1 }]) {
      const { unknownFields } = readMessagesRequest({ ...leastBody, context_management: context })
      expect(unknownFields, JSON.stringify(context)).toEqual(
        Array.isArray(context) ? undefined : ['context_management'],
      )
    }
  })

  it('has a version that is a date', () => {
    expect(withMember({}, { headers: { [versionHeader]: '2023-06-01' } })).toBeUndefined()
    expect(withMember({}, { headers: { [versionHeader]: 'latest' } })).toContain(
      '"latest" is not a valid version',
    )
    const headers = { [versionHeader]: strictVersion }
    expect(withMember({ temperature: 1 }, { headers })).toBeUndefined()
    expect(withMember({ temperature: 1 }, { headers, rules: { profile: 'live' } })).toMatch(
      /^temperature: not supported/,
    )
  })

  it('is for the vendor to validate where only vendors of the protocol get it', () => {
    const odd = { messages: [7], tools: 'f', temperature: 9, max_tokens: 0, system: {} }
    expect(withMember(odd, { passes: true, headers: { [versionHeader]: 'latest' } })).toBeUndefined()
    expect(withMember({ max_tokens: null }, { passes: true })).toBe('max_tokens: Field required')
    expect(withMember({ messages: {} }, { passes: true })).toBe('messages: Input should be a valid list')
    expect(withMember({ stream: 1 }, { passes: true })).toBe('stream: Input should be a valid boolean')
  })

  it('needs no bound to be counted', () => {
    const { max_tokens: _, ...rest } = leastBody
    expect(refusalOf(rest, { counts: true })).toBeUndefined()
    expect(refusalOf({ model: 'm' }, { counts: true })).toBe('messages: Field required')
  })
})

describe('a hostile request', () => {
  const key = fc.constantFrom(
    'role',
    'content',
    'type',
    'text',
    'source',
    'data',
    'media_type',
    'url',
    'name',
    'id',
    'input',
    'tool_use_id',
    'is_error',
    'thinking',
    'signature',
    'title',
    'context',
    'citations',
    'enabled',
    'tool_name',
    'cache_control',
    'input_schema',
    '__proto__',
    'constructor',
  )
  const word = fc.constantFrom(
    'user',
    'assistant',
    'system',
    'text',
    'image',
    'document',
    'tool_use',
    'tool_result',
    'thinking',
    'redacted_thinking',
    'web_search_tool_result',
    'search_result',
    'compaction',
    'base64',
    'content',
    'url',
    'sluice1.e30=',
    'bash_20250124',
    'web_search_20250305',
    'auto',
    'tool',
  )
  const { tree } = fc.letrec(tie => ({
    tree: fc.dictionary(
      key,
      fc.oneof(
        { depthSize: 'small' },
        word,
        fc.jsonValue({ maxDepth: 1 }),
        tie('tree'),
        fc.array(tie('tree'), { maxLength: 2 }),
      ),
      { maxKeys: 5 },
    ),
  }))
  const any = fc.oneof(tree, fc.array(tree, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }))
  const body = fc.record(
    {
      messages: any,
      system: any,
      tools: any,
      tool_choice: any,
      thinking: any,
      output_config: any,
      metadata: any,
      max_tokens: fc.oneof(fc.constant(5), any),
      top_k: any,
      stop_sequences: any,
    },
    { requiredKeys: ['messages', 'max_tokens'] },
  )

  it('is refused with 400 or read, and nothing else, also where nothing of it was validated', () => {
    fc.assert(
      fc.property(body, fc.boolean(), (given, passes) => {
        const text = JSON.stringify({ model: 'm', ...given })
        try {
          const { request } = readMessagesRequest(JSON.parse(text) as JsonObject, { passes, text })
          request.chat()
          request.turns()
          request.losses()
          request.translationLosses!()
          request.native!()
          request.withSettings({ ...request.settings(), temperature: 0 }).native!()
          request.pathOf('tools[0].function.parameters')
        } catch (error) {
          expect(GatewayError.is(error), String(error)).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is read in time that grows with its size only', () => {
    const blocks = Array.from({ length: 20_000 }, (_, index) => ({
      type: 'tool_use',
      id: `c${index}`,
      name: 'f',
      input: {},
    }))
    const results = blocks.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: [] }))
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: blocks },
      { role: 'user', content: results },
      ...Array.from({ length: 20_000 }, () => ({
        role: 'assistant',
        content: [{ type: 'thinking', thinking: '', signature: '' }],
      })),
    ]
    const start = performance.now()
    const { request } = readMessagesRequest({ ...leastBody, messages })
    request.chat()
    request.native!()
    expect(performance.now() - start).toBeLessThan(3_000)
  })
})
