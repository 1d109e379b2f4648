import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { readers } from '../../../packages/providers/test/vendors/properties/read-vendors.ts'
import type { Item } from '../../../packages/providers/test/vendors/properties/reading.ts'
import { targets, translatingTo } from '../replay/translated.ts'

type Block = Readonly<Record<string, unknown>> & { readonly type: string }

interface Message {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly Block[]
}

const wires = { chat: 'chat', anthropic: 'messages', gemini: 'generate', bedrock: 'converse' } as const

const words = fc.oneof(
  { weight: 4, arbitrary: fc.lorem({ maxCount: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\u0000', '{"a":1}', '__proto__', '</thinking>', '🏳️‍🌈'),
  },
)
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
const input = fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '0'), fc.oneof(words, fc.integer()), {
  maxKeys: 2,
  noNullPrototype: true,
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

/** One that may be invalid: messages are left out, doubled or of another role. */
const broken = fc
  .tuple(conversation, fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'double', 'turn'))))
  .map(([messages, changes]) => {
    const changed = [...messages]
    for (const [where, how] of changes) {
      const at = where % Math.max(1, changed.length)
      const message = changed[at]
      if (message === undefined) continue
      if (how === 'drop') changed.splice(at, 1)
      else if (how === 'double') changed.splice(at, 0, message)
      else changed[at] = { ...message, role: message.role === 'user' ? 'assistant' : 'user' }
    }
    return changed
  })

const tools = ['f', 'g'].map(name => ({ name, input_schema: { type: 'object', properties: {} } }))
const asking = (messages: readonly Message[]) => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 100,
  tools,
  messages,
})
/** A fixed seed with the quick tests. */
const runs = inject('exhaustive') ? { numRuns: 1_000 } : { numRuns: 100, seed: 1 }

describe.each(Object.entries(wires))('a conversation in the Messages API for %s', (family, wire) => {
  const translate = translatingTo(targets[family]!)
  let refusal: string | undefined
  const itemsOf = async (messages: readonly Message[]): Promise<Item[] | undefined> => {
    // Rejects where the gateway fails with anything but a 400.
    const { body, message } = await translate(asking(messages))
    refusal = message
    if (body === undefined) return undefined
    return readers[wire]({ url: '', method: 'POST', headers: {}, body: JSON.stringify(body) }).turns.flatMap(
      ({ items }) => items,
    )
  }

  it('says all that was said, in order, each result with its call', async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async messages => {
        const items = await itemsOf(messages)
        expect(refusal).toBeUndefined()
        const blocks = messages.flatMap(({ content }) => content as readonly Block[])
        const saidIn = (each: Block) => (each.type === 'text' ? [String(each.text)] : [])
        const written = items!.flatMap(item => (item.kind === 'text' ? item.text : []))
        expect(inOrder(blocks.flatMap(saidIn).filter(isNumbered), written)).toEqual([])
        const calls = items!.filter(item => item.kind === 'call')
        const given = blocks.filter(({ type }) => type === 'tool_use')
        expect(calls.map(({ name, input: with_ }) => [name, with_])).toEqual(
          given.map(({ name, input: with_ }) => [name, with_]),
        )
        expectPairs(items!)
      }),
      runs,
    )
  })

  it('that may be broken is refused, or has a result for each call', async () => {
    let sent = 0
    await fc.assert(
      fc.asyncProperty(broken, async messages => {
        const items = await itemsOf(messages)
        if (items === undefined) return
        sent++
        const given = messages.flatMap(({ content }) => content as readonly Block[])
        const count = (type: string) => given.filter(block => block.type === type).length
        expect(items.filter(({ kind }) => kind === 'call').length).toBeLessThanOrEqual(count('tool_use'))
        expect(items.filter(({ kind }) => kind === 'result').length).toBeLessThanOrEqual(count('tool_result'))
      }),
      runs,
    )
    expect(sent).toBeGreaterThan(runs.numRuns / 10)
  })
})

/** The texts that each conversation has, once each. */
const isNumbered = (said: string) => /^(?:question|answer) \d+$/.test(said)

/** Returns the texts that are not among others, in this order. A vendor's text may hold several. */
function inOrder(wanted: readonly string[], got: readonly string[]): readonly string[] {
  let at = 0
  return wanted.filter(each => {
    const found = got.findIndex((said, index) => index >= at && said.includes(each))
    if (found !== -1) at = found
    return found === -1
  })
}

/** Each call has one result, by its id or, where the vendor has none, by its name, and before the next calls. */
function expectPairs(items: readonly Item[]): void {
  const waiting: string[] = []
  for (const item of items) {
    if (item.kind === 'call') waiting.push(item.id ?? item.name)
    if (item.kind !== 'result') continue
    expect(waiting).toContain(item.of)
    waiting.splice(waiting.indexOf(item.of), 1)
  }
  expect(waiting).toEqual([])
}
