import fc from 'fast-check'
import { describeConversations, input, words } from './conversations.ts'

type Part = Readonly<Record<string, unknown>> & { readonly type: string }
type Entry = Readonly<Record<string, unknown>>

const text = words.map((said): Part => ({ type: 'input_text', text: said }))
const image = fc.constant<Part>({ type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=' })
const reasoning = fc
  .record({ text: words, isSummary: fc.boolean(), encrypted: fc.constantFrom(undefined, null, 'gAAAA') })
  .map(
    ({ text: thought, isSummary, encrypted }): Entry => ({
      type: 'reasoning',
      id: 'rs_1',
      summary: isSummary ? [{ type: 'summary_text', text: thought }] : [],
      ...(!isSummary && { content: [{ type: 'reasoning_text', text: thought }], status: null }),
      encrypted_content: encrypted,
    }),
  )
const said = fc.oneof(
  words.map(
    (value): Entry => ({
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: value, annotations: [] }],
    }),
  ),
  fc.constantFrom<Entry>({ role: 'assistant', content: [] }, { role: 'assistant', content: 'So.' }),
  reasoning,
)

/** Ids are used again, as some clients do in each answer, and have characters that not every vendor takes. */
const callId = fc.constantFrom('call_1', 'call_2', 'resp_1:call-0', 'é', 'x'.repeat(70))
const callOf: fc.Arbitrary<Entry> = fc
  .tuple(fc.constantFrom('function', 'namespaced', 'custom', 'search', 'shell'), callId, input, words)
  .map(([kind, call_id, given, value]) => {
    switch (kind) {
      case 'custom':
        return { type: 'custom_tool_call', call_id, name: 'c', input: value }
      case 'search':
        return { type: 'tool_search_call', call_id, execution: 'client', arguments: given }
      case 'shell':
        return { type: 'local_shell_call', call_id, action: { type: 'exec', command: [value] } }
      default: {
        const namespace = kind === 'namespaced' ? { namespace: 'n' } : {}
        return { type: 'function_call', call_id, name: 'f', ...namespace, arguments: JSON.stringify(given) }
      }
    }
  })

const outputTypes: Readonly<Record<string, string>> = {
  function_call: 'function_call_output',
  custom_tool_call: 'custom_tool_call_output',
  tool_search_call: 'tool_search_output',
  local_shell_call: 'local_shell_call_output',
}
const output = fc.oneof(words, fc.array(fc.oneof(text, image), { maxLength: 2 }))

/** A question, and answers with calls that each have their output before the next question. */
const conversation: fc.Arbitrary<readonly Entry[]> = fc
  .tuple(
    fc.array(fc.oneof(text, image), { maxLength: 2 }),
    fc.array(
      fc.record({
        before: fc.array(said, { maxLength: 3 }),
        calls: fc.uniqueArray(callOf, { maxLength: 3, selector: ({ call_id }) => call_id }),
        between: fc.array(said, { maxLength: 1 }),
        outputs: fc.array(output, { minLength: 3, maxLength: 3 }),
        isReversed: fc.boolean(),
        asked: fc.array(fc.oneof(text, image), { maxLength: 2 }),
      }),
      { maxLength: 4 },
    ),
  )
  .map(([first, rounds]) => [
    { role: 'user', content: [{ type: 'input_text', text: 'Question' }, ...first] },
    ...rounds.flatMap(({ before, calls, between, outputs, isReversed, asked }, round): Entry[] => {
      const results = calls.map(({ type, call_id }, at): Entry => {
        const found = { execution: 'client', tools: [{ type: 'function', name: 'f', parameters: {} }] }
        return {
          type: outputTypes[String(type)],
          call_id,
          ...(type === 'tool_search_call' ? found : { output: outputs[at] }),
        }
      })
      return [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: `answer ${round}` }] },
        ...before,
        ...calls.slice(0, 1),
        ...between,
        ...calls.slice(1),
        ...(isReversed ? results.reverse() : results),
        { role: 'user', content: [{ type: 'input_text', text: `question ${round}` }, ...asked] },
      ]
    }),
  ])

const f = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }
const tools = [
  f,
  { type: 'namespace', name: 'n', tools: [f] },
  { type: 'custom', name: 'c' },
  { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters: { type: 'object' } },
  { type: 'local_shell' },
]

describeConversations<Entry>({
  dialect: 'Responses API',
  path: '/responses',
  conversation,
  turned: entry =>
    entry.role === undefined
      ? { ...entry, call_id: 'other' }
      : { ...entry, role: entry.role === 'user' ? 'assistant' : 'user' },
  requestOf: entries => ({ model: 'claude-sonnet-4-5', tools, input: entries }),
  saidIn: entries => ({
    texts: entries.flatMap(({ content }) =>
      Array.isArray(content)
        ? content.flatMap((part: Part) => (part.text === undefined ? [] : String(part.text)))
        : [],
    ),
    calls: entries.flatMap(called),
    results: entries.filter(({ type }) => Object.values(outputTypes).includes(String(type))).length,
  }),
})

/** The function that a call is for other vendors. */
function called({ type, namespace, arguments: given, input: value, action }: Entry) {
  switch (type) {
    case 'function_call':
      return [{ name: namespace === undefined ? 'f' : `${namespace}__f`, input: JSON.parse(String(given)) }]
    case 'custom_tool_call':
      return [{ name: 'c', input: { input: value } }]
    case 'tool_search_call':
      return [{ name: 'tool_search', input: given }]
    case 'local_shell_call':
      return [{ name: 'local_shell', input: { command: (action as { command: unknown }).command } }]
    default:
      return []
  }
}
