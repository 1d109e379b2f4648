import fc from 'fast-check'
import { describe, expect, inject, it } from 'vitest'
import { readers } from '../../../packages/providers/test/vendors/properties/read-vendors.ts'
import type { Item } from '../../../packages/providers/test/vendors/properties/reading.ts'
import { targets, translatingTo } from '../replay/translated.ts'

/** Random conversations in a dialect. */
export interface RandomConversations<Entry> {
  readonly dialect: string
  readonly path: '/messages' | '/responses'
  /** Valid ones. Each has the texts `question 0`, `answer 0` and so on. */
  readonly conversation: fc.Arbitrary<readonly Entry[]>
  /** Returns an entry with the role of the other side, or one that fits nowhere. */
  turned(entry: Entry): Entry
  requestOf(entries: readonly Entry[]): object
  saidIn(entries: readonly Entry[]): Said
}

/** What a conversation says. */
export interface Said {
  readonly texts: readonly string[]
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  /** The number of results of tools. */
  readonly results: number
}

const wires = { chat: 'chat', anthropic: 'messages', gemini: 'generate', bedrock: 'converse' } as const

/** A fixed seed with the quick tests. */
const runs = inject('exhaustive') ? { numRuns: 1_000 } : { numRuns: 100, seed: 1 }
const timeout = inject('exhaustive') ? 120_000 : 20_000

/** Texts, some of them odd. */
export const words = fc.oneof(
  { weight: 4, arbitrary: fc.lorem({ maxCount: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', ' ', '\u0000', '{"a":1}', '__proto__', '</thinking>', '🏳️‍🌈'),
  },
)

/** Arguments of a call. */
export const input = fc.dictionary(
  fc.constantFrom('a', 'b', '__proto__', '0'),
  fc.oneof(words, fc.integer()),
  { maxKeys: 2, noNullPrototype: true },
)

/** Holds that conversations reach vendors of each family, or are refused. */
export function describeConversations<Entry>(given: RandomConversations<Entry>): void {
  const { dialect, path, conversation, requestOf, saidIn } = given
  describe.each(Object.entries(wires))(`a conversation in the ${dialect} for %s`, (family, wire) => {
    const translate = translatingTo(targets[family]!, path)
    let refusal: string | undefined
    const itemsOf = async (entries: readonly Entry[]): Promise<Item[] | undefined> => {
      // Rejects where the gateway fails with anything but a 400.
      const { body, message } = await translate(requestOf(entries))
      refusal = message
      if (body === undefined) return undefined
      return readers[wire]({
        url: '',
        method: 'POST',
        headers: {},
        body: JSON.stringify(body),
      }).turns.flatMap(({ items }) => items)
    }

    it(
      'says all that was said, in order, each result with its call',
      async () => {
        await fc.assert(
          fc.asyncProperty(conversation, async entries => {
            const items = await itemsOf(entries)
            expect(refusal).toBeUndefined()
            const { texts, calls } = saidIn(entries)
            const written = items!.flatMap(item => (item.kind === 'text' ? item.text : []))
            expect(notInOrder(texts.filter(isNumbered), written)).toEqual([])
            const called = items!.filter(item => item.kind === 'call')
            expect(called.map(({ name, input: with_ }) => [name, with_])).toEqual(
              calls.map(({ name, input: with_ }) => [name, with_]),
            )
            expectPairs(items!)
          }),
          runs,
        )
      },
      timeout,
    )

    it(
      'that may be broken is refused, or has a result for each call',
      async () => {
        let sent = 0
        await fc.assert(
          fc.asyncProperty(broken(given), async entries => {
            const items = await itemsOf(entries)
            if (items === undefined) return
            sent++
            const { calls, results } = saidIn(entries)
            expect(items.filter(({ kind }) => kind === 'call').length).toBeLessThanOrEqual(calls.length)
            expect(items.filter(({ kind }) => kind === 'result').length).toBeLessThanOrEqual(results)
          }),
          runs,
        )
        expect(sent).toBeGreaterThan(runs.numRuns / 10)
      },
      timeout,
    )
  })
}

/** One that may be invalid: entries are left out, doubled or of another role. */
function broken<Entry>({ conversation, turned }: RandomConversations<Entry>): fc.Arbitrary<readonly Entry[]> {
  const changes = fc.array(fc.tuple(fc.nat(), fc.constantFrom('drop', 'double', 'turn')))
  return fc.tuple(conversation, changes).map(([entries, made]) => {
    const changed = [...entries]
    for (const [where, how] of made) {
      const at = where % Math.max(1, changed.length)
      const entry = changed[at]
      if (entry === undefined) continue
      if (how === 'drop') changed.splice(at, 1)
      else if (how === 'double') changed.splice(at, 0, entry)
      else changed[at] = turned(entry)
    }
    return changed
  })
}

/** The texts that each conversation has, once each. */
const isNumbered = (said: string) => /^(?:question|answer) \d+$/.test(said)

/** Returns the texts that are not among others, in this order. A vendor's text may hold several. */
function notInOrder(wanted: readonly string[], got: readonly string[]): readonly string[] {
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
