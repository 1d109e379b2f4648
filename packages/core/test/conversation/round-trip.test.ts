import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatToTurns } from '../../src/conversation/chat-to-turns.ts'
import type { Turn, TurnPart } from '../../src/conversation/turns.ts'
import { turnsToChat } from '../../src/conversation/turns-to-chat.ts'
import type { Message } from '../../src/protocol/chat.ts'
import { valueAt } from './json-path.ts'
import { withDocumentedLosses } from './normal-messages.ts'

const text = fc.string({ maxLength: 8 })
const json = fc.jsonValue({ maxDepth: 2 }).filter(value => value !== null)

/** Members that the protocol does not name, and some that it names elsewhere. */
const extra = fc.dictionary(
  fc.constantFrom('cache_control', 'extra_content', 'custom', 'file', '__proto__', 'constructor', 'odd'),
  json,
  { maxKeys: 2, noNullPrototype: true },
)

function extended<T extends object>(value: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.tuple(value, fc.option(extra, { nil: undefined })).map(([own, more]) => {
    const all = { ...own }
    for (const [name, member] of Object.entries(more ?? {})) {
      if (Object.hasOwn(own, name)) continue
      Object.defineProperty(all, name, {
        value: member,
        enumerable: true,
        configurable: true,
        writable: true,
      })
    }
    return all
  })
}

const textPart = extended(fc.record({ type: fc.constant('text'), text }))
const refusalPart = extended(fc.record({ type: fc.constant('refusal'), refusal: text }))
const userPart = fc.oneof(
  textPart,
  extended(
    fc.record({
      type: fc.constant('image_url'),
      image_url: extended(
        fc.record(
          { url: fc.constant('https://there.test/a'), detail: fc.constantFrom('auto', 'low', 'high') },
          { requiredKeys: ['url'] },
        ),
      ),
    }),
  ),
  extended(
    fc.record({
      type: fc.constant('input_audio'),
      input_audio: extended(fc.record({ data: text, format: fc.constantFrom('wav', 'mp3') })),
    }),
  ),
  fc.record({
    type: fc.constant('file'),
    file: extended(fc.record({ file_id: text, file_data: text, filename: text }, { requiredKeys: [] })),
  }),
  fc.record({ type: fc.constant('video_url'), video_url: json }),
)
const functionCall = extended(fc.record({ name: text, arguments: text }))
const toolCall = fc.oneof(
  fc.record({ id: text, type: fc.constant('function'), function: functionCall, extra_content: json }),
  fc.record({
    id: text,
    type: fc.constant('custom'),
    custom: extended(fc.record({ name: text, input: text })),
  }),
)
const content = <T>(part: fc.Arbitrary<T>) => fc.oneof(text, fc.array(part, { maxLength: 3 }))
const message = fc.oneof(
  extended(
    fc.record(
      { role: fc.constantFrom('system', 'developer'), content: content(textPart), name: text },
      { requiredKeys: ['role', 'content'] },
    ),
  ),
  extended(
    fc.record(
      { role: fc.constant('user'), content: content(userPart), name: text },
      { requiredKeys: ['role', 'content'] },
    ),
  ),
  extended(
    fc.record(
      {
        role: fc.constant('assistant'),
        content: fc.option(content(fc.oneof(textPart, refusalPart))),
        refusal: fc.option(text),
        name: text,
        audio: fc.option(extended(fc.record({ id: text }))),
        tool_calls: fc.array(toolCall, { minLength: 1, maxLength: 3 }),
        function_call: fc.option(functionCall),
        reasoning_content: fc.oneof(text, fc.integer(), fc.constant(null)),
        reasoning_details: fc.oneof(
          fc.array(fc.oneof(fc.dictionary(fc.constantFrom('type', 'text'), text), json), { maxLength: 3 }),
          fc.constantFrom(null, 5, 'odd'),
        ),
      },
      { requiredKeys: ['role'] },
    ),
  ),
  extended(
    fc.record(
      { role: fc.constant('tool'), content: content(textPart), tool_call_id: text, name: text },
      { requiredKeys: ['role', 'content', 'tool_call_id'] },
    ),
  ),
  extended(fc.record({ role: fc.constant('function'), content: fc.option(text), name: text })),
) as unknown as fc.Arbitrary<Message>
const messages = fc.array(message, { maxLength: 6 })

describe('a conversation of chat completions', () => {
  it('comes back from its turns, but for documented losses', () => {
    fc.assert(
      fc.property(messages, given => {
        const turns = chatToTurns(given)
        const chat = turnsToChat(turns)
        expect(chat.losses).toEqual([])
        expect(chat.messages).toEqual(withDocumentedLosses(given, () => {}))
      }),
      { numRuns: 500 },
    )
  })

  it('is the same as turns again, but for paths', () => {
    fc.assert(
      fc.property(messages, given => {
        const turns = chatToTurns(withDocumentedLosses(given, () => {}))
        expect(chatToTurns(turnsToChat(turns).messages)).toEqual(turns)
      }),
    )
  })

  it('has turns and parts whose paths name members of the request', () => {
    fc.assert(
      fc.property(messages, given => {
        const turns = chatToTurns(given)
        for (const { path } of turns.flatMap(originsOf))
          expect(valueAt({ messages: given }, path)).toBeDefined()
      }),
    )
  })

  it('has for each path of what comes back the path of what it came from', () => {
    fc.assert(
      fc.property(messages, given => {
        const chat = turnsToChat(chatToTurns(given))
        for (const path of pathsOf(chat.messages)) {
          const was = chat.pathOf(path)
          expect(valueAt({ messages: given }, was), `${path} was ${was}`).toBeDefined()
        }
      }),
    )
  })
})

function originsOf(turn: Turn): readonly { readonly path: string }[] {
  return [
    turn,
    ...turn.parts.flatMap((part: TurnPart): readonly TurnPart[] =>
      part.kind === 'result' ? [part, ...part.parts] : [part],
    ),
  ]
}

/** The paths of messages, their parts and calls, and of single members. */
function pathsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) => {
    const path = `messages[${index}]`
    const members = Object.keys(message)
      .filter(name => /^\w+$/.test(name) && message[name as keyof Message] !== null)
      .map(name => `${path}.${name}`)
    const listed = (['content', 'tool_calls'] as const).flatMap(name => {
      const list = (message as unknown as Record<string, unknown>)[name]
      return Array.isArray(list) ? list.map((_, at) => `${path}.${name}[${at}]`) : []
    })
    return [path, ...members, ...listed]
  })
}
