import type { Example, LossExamples } from './losses-table.ts'

const hello = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: {} }
const tool = { type: 'function', name: 'f', parameters }
const pixel = 'data:image/png;base64,iVBORw0KGgo='

const user = (part: object, word?: string): Example => ({
  request: { input: [{ role: 'user', content: [{ type: 'input_text', text: 'Look.' }, part] }] },
  path: 'input[0].content[1]',
  ...(word !== undefined && { word }),
})
const item = (value: object, word?: string): Example => ({
  request: { input: [hello, value, hello] },
  path: 'input[1]',
  ...(word !== undefined && { word }),
})
const called = (
  type: string,
  call: object,
  output: object,
  word: string,
  tools: object[] = [tool],
): Example => ({
  request: {
    tools,
    input: [
      hello,
      { type, call_id: 'call_1', ...call },
      { type: `${type}_output`, call_id: 'call_1', ...output },
    ],
  },
  path: 'input[2]',
  word,
})
const tools = (each: object, word?: string, others: object[] = []): Example => ({
  request: { tools: [each, ...others] },
  path: 'tools[0]',
  ...(word !== undefined && { word }),
})
const field = (name: string, value: unknown, word?: string): Example => ({
  request: { [name]: value },
  path: name,
  ...(word !== undefined && { word }),
})

const examples: Readonly<Record<string, Example>> = {
  'a file by `file_url`': user(
    { type: 'input_file', file_url: 'https://a.test/marked.pdf' },
    'https://a.test/marked.pdf',
  ),
  'a part of another type': user({ type: 'input_hologram' }),
  'an item of another type': item({ type: 'hologram' }),
  'an item of reasoning that has only an id': item({ type: 'reasoning', id: 'rs_1', summary: [] }),
  'an image in the output of a tool': called(
    'function_call',
    { name: 'f', arguments: '{}' },
    { output: [{ type: 'input_image', image_url: pixel }] },
    'iVBORw0KGgo=',
  ),
  'the arguments of a call that was cut off': {
    ...called('function_call', { name: 'f', arguments: '{"a":', status: 'incomplete' }, { output: 'b' }, 'b'),
    path: 'input[1].arguments',
  },
  'the arguments of a call that are no JSON object': {
    ...called('function_call', { name: 'f', arguments: 'marked' }, { output: 'b' }, 'marked'),
    path: 'input[1].arguments',
  },
  'an output after another message than its call': {
    request: {
      tools: [tool],
      input: [
        hello,
        { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
        hello,
        { type: 'function_call_output', call_id: 'call_1', output: 'marked' },
      ],
    },
    path: 'input[3]',
    word: 'marked',
  },
  'a custom tool, its calls and outputs': called(
    'custom_tool_call',
    { name: 'marked', input: 'a' },
    { output: 'b' },
    'marked',
    [{ type: 'custom', name: 'marked' }],
  ),
  '`tool_search` of the client, its calls and outputs': {
    request: {
      tools: [{ type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters }],
      input: [
        hello,
        { type: 'tool_search_call', call_id: 'call_1', execution: 'client', arguments: {} },
        {
          type: 'tool_search_output',
          call_id: 'call_1',
          execution: 'client',
          tools: [{ ...tool, name: 'marked' }],
        },
      ],
    },
    path: 'input[2]',
    word: 'marked',
  },
  '`additional_tools`': item({ type: 'additional_tools', tools: [{ ...tool, name: 'marked' }] }, 'marked'),
  'a call of a tool that the vendor ran, such as `web_search_call`': item({
    type: 'web_search_call',
    id: 'ws_1',
    status: 'completed',
  }),
  'encrypted reasoning of another vendor': {
    ...item({ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }),
    path: 'input[1].encrypted_content',
  },
  '`compaction`': item({ type: 'compaction', encrypted_content: 'gAAAA' }),
  '`agent_message`': item({ type: 'agent_message', author: 'bob', content: 'marked' }, 'marked'),
  'a developer message after others': item({ role: 'developer', content: 'marked' }, 'marked'),
  'a grammar of a custom tool': tools(
    { type: 'custom', name: 'g', format: { type: 'grammar', syntax: 'lark', definition: 'marked' } },
    'marked',
  ),
  '`local_shell`, `shell`, `apply_patch`': tools({ type: 'apply_patch' }, 'apply_patch'),
  'a tool that the vendor runs, beside others': tools({ type: 'code_interpreter' }, undefined, [tool]),
  'a tool that the vendor runs, alone': tools({ type: 'code_interpreter' }),
  'a web search, alone': tools({ type: 'web_search' }, 'search'),
  'a web search, alone, with `filters` or without `external_web_access`': tools({
    type: 'web_search',
    filters: { allowed_domains: ['a.test'] },
  }),
  '`service_tier` that chat completions do not have': field('service_tier', 'ultrafast'),
  '`top_logprobs`': field('top_logprobs', 3, ':3'),
  '`reasoning.mode`, `reasoning.context`': { ...field('reasoning', { mode: 'pro' }), path: 'reasoning.mode' },
  '`text.verbosity`': { ...field('text', { verbosity: 'low' }, '"low"'), path: 'text.verbosity' },
  '`prompt`': field('prompt', { id: 'pmpt_1' }),
  '`max_tool_calls`, `truncation`, or another field that only OpenAI has': field('max_tool_calls', 3),
}

export const responsesExamples: LossExamples = {
  path: '/responses',
  columns: {
    'OpenAI-compatible': 'chat',
    Anthropic: 'anthropic',
    Gemini: 'gemini',
    'Bedrock Converse': 'bedrock',
  },
  base: { model: 'claude-sonnet-4-5', input: [hello] },
  examples,
}
