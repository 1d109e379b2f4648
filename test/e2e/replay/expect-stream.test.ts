import { chunks, readSse, sse, usage } from '@sluice/testing'
import { expect, it } from 'vitest'
import { expectStream } from './expect-stream.ts'

const sound = sse(
  chunks({
    id: 'chatcmpl-0123456789abcdef0123456789abc',
    choices: [{ text: 'one two' }, { toolCalls: [{ name: 'f', arguments: { a: 1 } }, { name: 'g' }] }],
    usage: usage(3, 4),
  }),
)
const check = async (events: readonly string[]) =>
  expectStream(await readSse(events.join('')), { model: 'upstream-model', includeUsage: true })

/** The events, with this done to the first one that holds `within`. */
function changed(within: string, change: (event: string) => string[]): string[] {
  const at = sound.findIndex(event => event.includes(within))
  return sound.flatMap((event, index) => (index === at ? change(event) : [event]))
}

it('passes what is sound, and reads it', async () => {
  const { choices, usage } = await check(sound)
  expect(choices[0]).toMatchObject({ text: 'one two', finish: 'stop' })
  expect(choices[1]?.calls).toEqual([
    { id: 'call_0', name: 'f', arguments: '{"a":1}' },
    { id: 'call_1', name: 'g', arguments: '{}' },
  ])
  expect(usage).toEqual({ prompt: 3, completion: 4 })
})

it.each([
  ['no end mark', sound.slice(0, -1)],
  ['no counts', changed('"choices":[]', () => [])],
  [
    'counts that do not sum up',
    changed('"choices":[]', event => [event.replace('"total_tokens":7', '"total_tokens":8')]),
  ],
  ['a role twice', changed('"content":"one"', event => [sound[0]!, event])],
  ['no role', sound.slice(1)],
  ['no finish', changed('"finish_reason":"stop"', () => [])],
  ['a finish twice', changed('"finish_reason":"stop"', event => [event, event])],
  [
    'a finish that says something',
    changed('"finish_reason":"stop"', event => [event.replace('{}', '{"content":"x"}')]),
  ],
  ['an unknown reason', changed('"finish_reason":"stop"', event => [event.replace('"stop"', '"eos"')])],
  [
    'text after the finish',
    changed('"finish_reason":"stop"', event => [
      event,
      event.replace('{}', '{"content":"x"}').replace('"stop"', 'null'),
    ]),
  ],
  ['another id', changed(' two', event => [event.replace('chatcmpl-0', 'chatcmpl-1')])],
  ['another model', changed(' two', event => [event.replace('upstream-model', 'other')])],
  ['another time', changed(' two', event => [event.replace('1700000000', '1700000001')])],
  ['one more key', changed(' two', event => [event.replace('"object"', '"obfuscation":"x","object"')])],
  ['another order', changed(' two', event => [event.replace(/("id":"[^"]*",)("object":"[^"]*",)/, '$2$1')])],
  ['no log probabilities', changed(' two', event => [event.replace('"logprobs":null,', '')])],
  ['no key for counts', changed(' two', event => [event.replace(',"usage":null', '')])],
  ['a call that begins at 1', changed('"name":"f"', () => [])],
  ['a call without a type', changed('"name":"f"', event => [event.replace('"type":"function",', '')])],
  ['a call with an empty id', changed('"name":"f"', event => [event.replace('call_0', '')])],
  ['the id of another call', changed('"name":"g"', event => [event.replace('call_1', 'call_0')])],
  [
    'a call that goes back',
    changed('"name":"g"', event => [
      event,
      event.replace(/"tool_calls":\[.*?\]\}/, '"tool_calls":[{"index":0,"function":{"arguments":" "}}]}'),
    ]),
  ],
  ['a broken argument', changed('{\\"a\\"', event => [event.replace('{\\"a\\"', '{\\"a')])],
])('does not pass %s', async (_, events) => {
  expect(events).not.toEqual(sound)
  await expect(check(events)).rejects.toThrow()
})
