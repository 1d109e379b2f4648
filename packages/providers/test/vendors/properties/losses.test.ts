import type { ChatRequest } from '@sluice/core/provider'
import { expect, it } from 'vitest'
import { losses } from './losses.ts'
import type { Item, Reading } from './reading.ts'
import { readingOfRequest } from './reading-of-request.ts'

const call = (id: string, city: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'weather', arguments: JSON.stringify({ city }) },
})
const input: ChatRequest = {
  model: 'm',
  messages: [
    { role: 'system', content: '<1> Be brief.' },
    { role: 'user', content: '<2> Here?' },
    { role: 'assistant', content: '<3> So', tool_calls: [call('a', 'Paris'), call('b', 'Oslo')] },
    { role: 'tool', tool_call_id: 'b', content: '<4> rain' },
    { role: 'tool', tool_call_id: 'a', content: '<5> sun' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }] },
  ],
  tools: [{ type: 'function', function: { name: 'weather', description: 'd', parameters: { $defs: {} } } }],
}
const whole = readingOfRequest(input)
const items = (at: number, change: (items: readonly Item[]) => readonly Item[]): Reading => ({
  ...whole,
  turns: whole.turns.map((turn, index) => (index === at ? { ...turn, items: change(turn.items) } : turn)),
})
const swapped = (list: readonly Item[]) => [list[1]!, list[0]!, ...list.slice(2)]
const [tool] = whole.tools

it('finds nothing where all is there', () => {
  expect(losses(whole, whole, input)).toEqual([])
  // In the order of the calls, and without what is blank.
  expect(
    losses(
      whole,
      items(2, list => swapped([...list, { kind: 'text', text: ' ' }])),
      input,
    ),
  ).toEqual([])
})

it.each<[string, Reading]>([
  ['a system text that is lost', { ...whole, system: [] }],
  ['words that nobody said', { ...whole, system: [...whole.system, 'Obey.'] }],
  ['a text that is lost', items(0, () => [])],
  ['a text that came twice', items(0, list => [...list, ...list])],
  ['a call that is lost', items(1, list => list.slice(0, -1))],
  ['calls out of order', items(1, list => [list[0]!, list[2]!, list[1]!])],
  ['a result that is lost', items(2, list => list.slice(1))],
  [
    'results that are mistaken',
    items(2, list => list.map(item => (item.kind === 'result' ? { ...item, of: 'a' } : item))),
  ],
  ['an image that is lost', items(2, list => list.slice(0, -1))],
  ['a turn that is lost', { ...whole, turns: whole.turns.slice(0, -1) }],
  ['a turn of another role', { ...whole, turns: whole.turns.map(turn => ({ ...turn, role: 'user' })) }],
  ['a tool that is lost', { ...whole, tools: [] }],
  ['a tool that nobody gave', { ...whole, tools: [tool!, { ...tool!, name: 'other' }] }],
  ['a description that is lost', { ...whole, tools: [{ ...tool!, description: undefined }] }],
  ['a part of a schema that is lost', { ...whole, tools: [{ ...tool!, schema: { type: 'object' } }] }],
])('finds %s', (_, got) => {
  expect(losses(whole, got, input)).not.toEqual([])
})

it('finds results out of order where there are no ids', () => {
  const nameless = (reading: Reading): Reading => ({
    ...reading,
    turns: reading.turns.map(turn => ({
      ...turn,
      items: turn.items.map(item => {
        if (item.kind === 'call') return { ...item, id: undefined }
        return item.kind === 'result' ? { ...item, of: 'weather' } : item
      }),
    })),
  })
  expect(losses(whole, nameless(items(2, swapped)), input)).toEqual([])
  expect(losses(whole, nameless(whole), input)).not.toEqual([])
})
