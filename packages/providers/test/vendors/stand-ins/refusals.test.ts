import { describe, expect, it } from 'vitest'
import { checkMessages } from './anthropic.ts'
import { checkConverse } from './bedrock.ts'
import { Fault } from './fault.ts'
import { checkGenerate } from './gemini.ts'
import { checkChatRequest } from './openai/chat-request.ts'
import { signatureOf } from './signature.ts'
import { checkVertexGenerate, checkVertexMessages } from './vertex.ts'

/** What is wrong, the fields that make it so, and what the vendor says of it. */
type Row = readonly [fault: string, fields: object, message: RegExp]

function refuses(good: object, check: (body: object) => void, rows: readonly Row[]): void {
  it('takes a right request', () => {
    check(good)
  })
  it.each(rows)('refuses %s', (_, fields, message) => {
    const body = Object.fromEntries(
      Object.entries({ ...good, ...fields }).filter(([, value]) => value !== undefined),
    )
    expect(() => check(body)).toThrow(Fault)
    expect(() => check(body)).toThrow(message)
  })
}

const schema = { type: 'object', properties: { city: { type: 'string' } } }

describe('anthropic', () => {
  const user = { role: 'user', content: 'Hello' }
  const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })
  const turns = (...contents: readonly object[][]) => ({
    messages: [user, ...contents.map((content, at) => ({ role: at % 2 ? 'user' : 'assistant', content }))],
  })
  const tool = { name: 'f', input_schema: schema }
  const thinking = { type: 'enabled', budget_tokens: 1024 }
  const thought = { type: 'thinking', thinking: 'Hm', signature: signatureOf('anthropic', 'Hm') }
  const good = { model: 'claude-sonnet-4-20250514', max_tokens: 2048, messages: [user], tools: [tool] }
  const marked = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }

  refuses(good, checkMessages, [
    ['no max_tokens', { max_tokens: undefined }, /max_tokens: Field required/],
    ['another field', { seed: 1 }, /seed: Extra inputs are not permitted/],
    ['no messages', { messages: [] }, /at least one message/],
    ['the assistant first', { messages: [{ role: 'assistant', content: 'x' }] }, /first message must use/],
    ['neighbours of one role', { messages: [user, user] }, /roles must alternate/],
    ['a role of others', { messages: [{ role: 'system', content: 'x' }] }, /user or assistant/],
    ['an empty text', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }, /non-empty/],
    [
      'a blank text',
      { messages: [{ role: 'user', content: [{ type: 'text', text: ' ' }] }] },
      /non-whitespace/,
    ],
    ['a message of nothing', { messages: [{ role: 'user', content: [] }] }, /non-empty content/],
    ['white space at the end', turns([{ type: 'text', text: 'So ' }]), /trailing whitespace/],
    ['no answer of a tool', turns([use('a')], [{ type: 'text', text: 'x' }]), /without `tool_result` blocks/],
    ['one answer of two', turns([use('a'), use('b')], [result('a')]), /without `tool_result` blocks.*: b/],
    ['an answer too late', turns([use('a')], [{ type: 'text', text: 'x' }, result('a')]), /: a/],
    ['an answer to nothing', turns([{ type: 'text', text: 'x' }], [result('a')]), /unexpected `tool_use_id`/],
    ['an id twice', turns([use('a'), use('a')], [result('a')]), /ids must be unique/],
    ['an odd id', turns([use('a.b')], [result('a.b')]), /should match pattern/],
    [
      'a schema of no object',
      { tools: [{ name: 'f', input_schema: { type: 'array' } }] },
      /should be object/i,
    ],
    ['a union at the root', { tools: [{ name: 'f', input_schema: { ...schema, anyOf: [] } }] }, /top level/],
    ['a tool twice', { tools: [tool, tool] }, /names must be unique/],
    ['an odd name', { tools: [{ ...tool, name: 'a b' }] }, /should match pattern/],
    ['a choice of no tool', { tools: undefined, tool_choice: { type: 'auto' } }, /while providing tools/],
    ['a choice of another', { tool_choice: { type: 'tool', name: 'g' } }, /not found in provided tools/],
    ['a temperature too high', { temperature: 1.5 }, /temperature: range: 0..1/],
    ['a blank stop sequence', { stop_sequences: ['\n'] }, /non-whitespace/],
    ['a small budget', { thinking: { ...thinking, budget_tokens: 512 } }, /budget_tokens: range: 1024/],
    ['a budget above the bound', { thinking, max_tokens: 1024 }, /greater than `thinking.budget_tokens`/],
    ['a temperature with thinking', { thinking, temperature: 0.5 }, /only be set to 1/],
    ['a forced tool with thinking', { thinking, tool_choice: { type: 'any' } }, /forces tool use/],
    ['adaptive thinking', { thinking: { type: 'adaptive' } }, /not supported/],
    ['calls without thinking', { thinking, ...turns([use('a')], [result('a')]) }, /Expected `thinking`/],
    [
      'thinking that was changed',
      { thinking, ...turns([{ ...thought, thinking: 'Hm!' }, use('a')], [result('a')]) },
      /Invalid `signature`/,
    ],
    [
      'a structured answer',
      { output_config: { format: { type: 'json_schema', schema } } },
      /additionalProperties/,
    ],
    ['too many marks', { system: Array.from({ length: 5 }, () => marked) }, /maximum of 4 blocks/],
    ['more than it can say', { max_tokens: 64_001 }, /maximum allowed number/],
  ])

  it('takes thinking back as it gave it', () => {
    checkMessages({ ...good, thinking, ...turns([thought, use('a')], [result('a')]) })
  })

  it('takes no prefill and no sampling where the model is newer', () => {
    const newer = { ...good, model: 'claude-opus-4-8' }
    checkMessages(newer)
    expect(() => checkMessages({ ...newer, temperature: 0.5 })).toThrow(/not supported/)
    expect(() => checkMessages({ ...newer, ...turns([{ type: 'text', text: 'So' }]) })).toThrow(/prefill/)
    expect(() => checkMessages({ ...newer, thinking })).toThrow(/not supported/)
  })

  it('on Vertex, wants a version and no model', () => {
    const { model, ...rest } = good
    const onVertex = { ...rest, anthropic_version: 'vertex-2023-10-16' }
    checkVertexMessages(onVertex, 'claude-sonnet-4@20250514')
    expect(() => checkVertexMessages({ ...onVertex, model }, 'claude-sonnet-4@20250514')).toThrow(/Extra/)
    expect(() => checkVertexMessages(rest, 'claude-sonnet-4@20250514')).toThrow(/anthropic_version/)
    expect(() => checkVertexMessages(onVertex, 'claude-sonnet-4-20250514')).toThrow(/not found/)
  })
})

describe('gemini', () => {
  const user = { role: 'user', parts: [{ text: 'Hello' }] }
  const call = (name: string) => ({ functionCall: { name, args: {} } })
  const answer = (name: string) => ({ functionResponse: { name, response: {} } })
  const turns = (...parts: readonly object[][]) => ({
    contents: [user, ...parts.map((each, at) => ({ role: at % 2 ? 'user' : 'model', parts: each }))],
  })
  const declared = (...names: string[]) => ({ functionDeclarations: names.map(name => ({ name })) })
  const good = { contents: [user], tools: [declared('f', 'g')] }
  const choice = (config: object) => ({ toolConfig: { functionCallingConfig: config } })
  const config = (generationConfig: object) => ({ generationConfig })

  refuses(good, body => checkGenerate(body, 'gemini-2.5-flash'), [
    ['another field', { user: 'x' }, /user: Extra inputs/],
    ['no contents', { contents: [] }, /at least 1 items/],
    ['no parts', { contents: [{ role: 'user', parts: [] }] }, /at least 1 items/],
    ['an empty text', { contents: [{ role: 'user', parts: [{ text: '' }] }] }, /must have a text parameter/],
    [
      'a part of two kinds',
      { contents: [{ role: 'user', parts: [{ ...call('f'), text: 'x' }] }] },
      /exactly one/,
    ],
    ['another role', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, /user or model/],
    ['neighbours of one role', { contents: [user, user] }, /alternate/],
    ['fewer answers than calls', turns([call('f'), call('g')], [answer('f')]), /number of function response/],
    ['answers to others', turns([call('f'), call('g')], [answer('g'), answer('f')]), /is not for f/],
    ['an answer to nothing', turns([{ text: 'x' }], [answer('f')]), /after a function call turn/],
    ['no answer', turns([call('f')]), /answered/],
    ['a call first', { contents: [{ role: 'model', parts: [call('f')] }] }, /after a user turn/],
    [
      'an answer that is text',
      turns([call('f')], [{ functionResponse: { name: 'f', response: 'x' } }]),
      /dictionary/,
    ],
    ['an odd name', { tools: [declared('1f')] }, /should match pattern/],
    ['a name twice', { tools: [declared('f', 'f')] }, /Duplicate function declaration/],
    ['names for AUTO', choice({ mode: 'AUTO', allowedFunctionNames: ['f'] }), /mode is ANY/],
    ['a choice of another', choice({ mode: 'ANY', allowedFunctionNames: ['h'] }), /not declared/],
    [
      'a choice of nothing',
      { tools: undefined, ...choice({ mode: 'ANY' }) },
      /without function_declarations/,
    ],
    ['a schema for text', config({ responseJsonSchema: schema }), /only works with/],
    ['JSON beside functions', config({ responseMimeType: 'application/json' }), /is unsupported/],
    ['six stop sequences', config({ stopSequences: [...'abcdef'] }), /at most 5/],
    ['a temperature too high', config({ temperature: 2.5 }), /range: 0..2/],
    ['a level', config({ thinkingConfig: { thinkingLevel: 'low' } }), /level low is not supported/],
    ['a budget too high', config({ thinkingConfig: { thinkingBudget: 30_000 } }), /between 1 and 24576/],
    [
      'JSON Schema as OpenAPI',
      { tools: [{ functionDeclarations: [{ name: 'f', parameters: { $ref: 'x' } }] }] },
      /type: Field/,
    ],
  ])

  it('wants signatures of newer models', () => {
    const signature = signatureOf('google', JSON.stringify(['f', {}]))
    const body = { ...good, ...turns([call('f'), call('g')], [answer('f'), answer('g')]) }
    const signed = (thoughtSignature: string) => ({
      ...good,
      ...turns([{ ...call('f'), thoughtSignature }, call('g')], [answer('f'), answer('g')]),
    })
    expect(() => checkGenerate(body, 'gemini-3-pro-preview')).toThrow(/missing a `thought_signature`/)
    expect(() => checkGenerate(signed('AAAA'), 'gemini-3-pro-preview')).toThrow(/Corrupted/)
    checkGenerate(signed(signature), 'gemini-3-pro-preview')
    checkGenerate(signed('skip_thought_signature_validator'), 'gemini-3-pro-preview')
    checkGenerate(body, 'gemini-2.5-flash')
    const over = { ...body, contents: [...body.contents, { role: 'model', parts: [{ text: 'x' }] }, user] }
    checkGenerate(over, 'gemini-3-pro-preview')
    const both = config({ thinkingConfig: { thinkingLevel: 'low', thinkingBudget: 1024 } })
    expect(() => checkGenerate({ ...good, ...both }, 'gemini-3-pro-preview')).toThrow(/only one/)
  })

  it('on Vertex, wants roles', () => {
    checkVertexGenerate(good, 'gemini-2.5-flash')
    const roleless = { contents: [{ parts: [{ text: 'x' }] }] }
    expect(() => checkVertexGenerate(roleless, 'gemini-2.5-flash')).toThrow(/role/)
    expect(() => checkVertexGenerate({ ...good, serviceTier: 'flex' }, 'gemini-2.5-flash')).toThrow(/Extra/)
  })
})

describe('bedrock', () => {
  const claude = 'anthropic.claude-sonnet-4-20250514-v1:0'
  const user = { role: 'user', content: [{ text: 'Hello' }] }
  const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'f', input: {} } })
  const result = (toolUseId: string) => ({ toolResult: { toolUseId, content: [{ text: 'x' }] } })
  const turns = (...contents: readonly object[][]) => ({
    messages: [user, ...contents.map((content, at) => ({ role: at % 2 ? 'user' : 'assistant', content }))],
  })
  const spec = (name: string, further = {}) => ({
    toolSpec: { name, inputSchema: { json: schema }, ...further },
  })
  const toolConfig = { tools: [spec('f')] }
  const good = { messages: [user], toolConfig }
  const said = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
  const file = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: 'AAAA' } } })
  const thinks = { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1024 } } }
  const bounds = (inferenceConfig: object) => ({ inferenceConfig })

  refuses(good, body => checkConverse(body, claude), [
    ['another field', { stream: true }, /stream: Extra/],
    [
      'the assistant first',
      { messages: [{ role: 'assistant', content: [{ text: 'x' }] }] },
      /start with a user/,
    ],
    ['neighbours of one role', { messages: [user, user] }, /must alternate/],
    ['a blank text', said({ text: ' ' }), /is blank/],
    ['a message of nothing', said(), /is empty/],
    [
      'no tools',
      { ...turns([use('a')], [result('a')]), toolConfig: undefined },
      /toolConfig field must be defined/,
    ],
    ['too many answers', turns([use('a')], [result('a'), result('b')]), /exceeds the number of toolUse/],
    ['too few answers', turns([use('a'), use('b')], [result('a')]), /following Ids: b/],
    ['answers after text', turns([use('a')], [{ text: 'x' }, result('a')]), /have to come first/],
    ['an odd name', { toolConfig: { tools: [spec('a.b')] } }, /should match pattern/],
    ['an empty description', { toolConfig: { tools: [spec('f', { description: '' })] } }, /at least 1/],
    [
      'a schema of no object',
      { toolConfig: { tools: [spec('f', { inputSchema: { json: {} } })] } },
      /one of the following/,
    ],
    [
      'a choice of another',
      { toolConfig: { ...toolConfig, toolChoice: { tool: { name: 'g' } } } },
      /not among/,
    ],
    ['an odd id', turns([use('a b')], [result('a b')]), /should match pattern/],
    ['a temperature too high', bounds({ temperature: 1.5 }), /range: 0..1/],
    ['a file alone', said(file('document-1')), /text block/],
    ['a file of odd name', said({ text: 'x' }, file('a.pdf')), /should match pattern/],
    ['two files of one name', said({ text: 'x' }, file('a'), file('a')), /duplicate document names/],
    [
      'a forced tool with thinking',
      { ...thinks, toolConfig: { ...toolConfig, toolChoice: { any: {} } } },
      /forces/,
    ],
    ['a temperature with thinking', { ...thinks, ...bounds({ temperature: 0 }) }, /only be set to 1/],
    ['calls without thinking', { ...thinks, ...turns([use('a')], [result('a')]) }, /Expected `thinking`/],
    ['another model field', { additionalModelRequestFields: { seed: 1 } }, /Malformed input request/],
    ['empty metadata', { requestMetadata: {} }, /1 to 16/],
  ])

  it('takes no reasoning back where the model has none', () => {
    const reasoned = turns([
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 'x' } } },
      { text: 'y' },
    ])
    expect(() => checkConverse({ ...good, ...reasoned }, 'amazon.nova-lite-v1:0')).toThrow(/reasoning/)
    expect(() => checkConverse({ ...good, ...reasoned }, claude)).toThrow(/Invalid `signature`/)
  })
})

describe('openai', () => {
  const user = { role: 'user', content: 'Hello' }
  const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
  const good = { model: 'gpt-4o', messages: [user] }

  refuses(good, checkChatRequest, [
    ['another field', { top_k: 1 }, /top_k: Extra/],
    [
      'an answer to nothing',
      { messages: [user, { role: 'tool', tool_call_id: 'a', content: 'x' }] },
      /preceeding/,
    ],
    [
      'no answer',
      { messages: [user, { role: 'assistant', tool_calls: [call] }, user] },
      /must be followed by/,
    ],
    ['a choice of nothing', { tool_choice: 'auto' }, /when 'tools' are specified/],
    ['the old bound', { model: 'gpt-5-mini', max_tokens: 1 }, /max_completion_tokens/],
    ['an effort', { reasoning_effort: 'low' }, /Unrecognized/],
    ['options of no stream', { stream_options: { include_usage: true } }, /when 'stream' is enabled/],
  ])
})
