import fc from 'fast-check'
import { describeConversations, input, words } from './conversations.ts'

type Block = Readonly<Record<string, unknown>> & { readonly type: string }

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly Block[]
}

const text = words.map((said): Block => ({ type: 'text', text: said }))
const image = fc.constant<Block>({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
})
const thinking = fc.record({
  type: fc.constant('thinking'),
  thinking: words,
  signature: fc.constantFrom('', 'c2ln'),
})
/** Ids are used again, as some clients do in each answer, and have characters that not every vendor takes. */
const id = fc.constantFrom('toolu_1', 'toolu_2', 'call:3', 'é', 'x'.repeat(70))
const call = fc.record({ type: fc.constant('tool_use'), id, name: fc.constantFrom('f', 'g'), input })
const result = fc.oneof(words, fc.array(fc.oneof(text, image), { maxLength: 2 }))

/** A question, and answers with calls that each have their results in the next message. */
const conversation: fc.Arbitrary<readonly Message[]> = fc
  .tuple(
    fc.array(fc.oneof(text, image), { maxLength: 2 }),
    fc.array(
      fc.record({
        said: fc.array(fc.oneof(text, thinking as fc.Arbitrary<Block>), { maxLength: 3 }),
        calls: fc.uniqueArray(call as fc.Arbitrary<Block>, { maxLength: 3, selector: each => each.id }),
        results: fc.array(result, { minLength: 3, maxLength: 3 }),
        failed: fc.boolean(),
        asked: fc.array(fc.oneof(text, image), { maxLength: 2 }),
      }),
      { maxLength: 4 },
    ),
  )
  .map(([first, rounds]) => [
    { role: 'user', content: [{ type: 'text', text: 'Question' }, ...first] },
    ...rounds.flatMap(({ said, calls, results, failed, asked }, round): Message[] => [
      { role: 'assistant', content: [{ type: 'text', text: `answer ${round}` }, ...said, ...calls] },
      {
        role: 'user',
        content: [
          ...calls.map((each, at) => ({
            type: 'tool_result',
            tool_use_id: each.id,
            content: results[at],
            ...(failed && { is_error: true }),
          })),
          { type: 'text', text: `question ${round}` },
          ...asked,
        ],
      },
    ]),
  ])

const tools = ['f', 'g'].map(name => ({ name, input_schema: { type: 'object', properties: {} } }))

describeConversations<Message>({
  dialect: 'Messages API',
  path: '/messages',
  conversation,
  turned: message => ({ ...message, role: message.role === 'user' ? 'assistant' : 'user' }),
  requestOf: messages => ({ model: 'claude-sonnet-4-5', max_tokens: 100, tools, messages }),
  saidIn(messages) {
    const blocks = messages.flatMap(({ content }) => content as readonly Block[])
    return {
      texts: blocks.flatMap(({ type, text: said }) => (type === 'text' ? [String(said)] : [])),
      calls: blocks.flatMap(({ type, name, input: given }) =>
        type === 'tool_use' ? [{ name: String(name), input: given }] : [],
      ),
      results: blocks.filter(({ type }) => type === 'tool_result').length,
    }
  },
})
