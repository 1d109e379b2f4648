import type { Example, LossExamples } from './losses-table.ts'

const hello = { role: 'user', content: 'Hi' }
const tool = { name: 'f', input_schema: { type: 'object', properties: {} } }
const user = (block: object, word?: string): Example => ({
  request: { messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, block] }] },
  path: 'messages[0].content[1]',
  ...(word !== undefined && { word }),
})
const assistant = (block: object, word?: string): Example => ({
  request: {
    messages: [hello, { role: 'assistant', content: [block, { type: 'text', text: 'So.' }] }, hello],
  },
  path: 'messages[1].content[0]',
  ...(word !== undefined && { word }),
})
const field = (name: string, value: unknown): Example => ({ request: { [name]: value }, path: name })
const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }
const called = (result: object) => ({
  request: {
    tools: [tool],
    messages: [
      hello,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', ...result }] },
    ],
  },
  path: 'messages[2].content[0]',
})

const examples: Readonly<Record<string, Example>> = {
  'a document as text, `search_result`': user(
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'marked' } },
    'marked',
  ),
  '`citations` of a document': {
    ...user({ type: 'document', source: pdf, citations: { enabled: true } }),
    path: 'messages[0].content[1].citations',
  },
  'an image or a document by `file_id`': user({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
  'an image in a tool result': {
    ...called({
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }],
    }),
    word: 'iVBORw0KGgo=',
  },
  '`is_error` of a tool result': { ...called({ content: 'marked', is_error: true }), word: '"error"' },
  '`tool_reference` in a tool result': {
    ...called({ content: [{ type: 'tool_reference', tool_name: 'marked' }] }),
    word: 'marked',
  },
  'a block of a user of another type, such as `container_upload`': user({
    type: 'container_upload',
    file_id: 'file_1',
  }),
  'a call of a tool that the vendor runs (`server_tool_use`)': assistant({
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: {},
  }),
  'the result of such a tool': assistant(
    { type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { stdout: 'marked' } },
    'marked',
  ),
  '`compaction`': assistant({ type: 'compaction', content: 'marked' }, 'marked'),
  'a system message after others': {
    request: { messages: [hello, { role: 'system', content: 'marked' }, hello] },
    path: 'messages[1]',
    word: 'marked',
  },
  'words of the assistant at the end, to go on with': {
    request: { messages: [hello, { role: 'assistant', content: 'marked' }] },
    path: 'messages[1]',
    word: 'marked',
  },
  'the billing line of a coding client': {
    request: { system: [{ type: 'text', text: 'x-anthropic-billing-header: a=1' }] },
    path: 'system[0]',
  },
  'a tool with a type that the client runs (`bash_`, `text_editor_`, `memory_`, `computer_`)': {
    request: { tools: [{ type: 'bash_20250124', name: 'marked' }] },
    path: 'tools[0]',
    word: 'marked',
  },
  'a name of a tool with more than 64 characters': {
    request: { tools: [{ ...tool, name: 'marked'.repeat(11) }] },
    path: 'tools[0].name',
    word: 'marked',
  },
  'a tool that the vendor runs, beside others': {
    request: { tools: [tool, { type: 'web_fetch_20250910', name: 'web_fetch' }] },
    path: 'tools[1]',
  },
  'a tool that the vendor runs, alone': {
    request: { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
    path: 'tools[0]',
  },
  'a web search, alone': {
    request: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    path: 'tools[0]',
    word: 'search',
  },
  'a web search, alone, with `allowed_domains` or `blocked_domains`': {
    request: { tools: [{ type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.test'] }] },
    path: 'tools[0]',
  },
  '`max_uses` of a web search, alone': {
    request: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 5 }] },
    path: 'tools[0].max_uses',
  },
  '`cache_control` of the request': {
    ...field('cache_control', { type: 'ephemeral' }),
    word: '"cache',
  },
  '`top_k`': { ...field('top_k', 7), word: ':7' },
  '`context_management`, or another field that only Anthropic has': field('context_management', {
    edits: [],
  }),
  '`container`, `mcp_servers`': field('container', 'container_1'),
}

export const messagesExamples: LossExamples = {
  path: '/messages',
  columns: { 'OpenAI-compatible': 'chat', Gemini: 'gemini', 'Bedrock Converse': 'bedrock' },
  base: { model: 'm', max_tokens: 100, messages: [hello] },
  examples,
}
