import { createGateway, models } from '@sluice/core'
import type { TransportResponse } from '@sluice/core/provider'
import { openai } from '@sluice/providers'
import { readSse, sse } from '@sluice/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../packages/providers/test/vendors/properties/runs.ts'
import { joinedCalls, piecesChunk } from './harness/tool-pieces.ts'

/** Text of any code units: halves of surrogate pairs, quotes, backslashes and the signs of JSON among them. */
const text = fc
  .array(
    fc.oneof(
      fc.nat({ max: 0xffff }),
      fc.constantFrom(...[...'{}[]":,\\u0123 '].map(it => it.charCodeAt(0)), 0xd83d, 0xde00),
    ),
    {
      minLength: 1,
      maxLength: 30,
    },
  )
  .map(units => String.fromCharCode(...units))

const call = fc.record({
  name: fc.stringMatching(/^[a-z_]{1,8}$/),
  arguments: text,
  /** Where its text is cut. */
  cuts: fc.array(fc.nat({ max: 30 }), { maxLength: 5 }),
  /** When its id comes: with its name, by itself before its first text, with each piece, or never. */
  id: fc.constantFrom('first', 'late', 'always', 'never'),
})
type Call = Parameters<Parameters<typeof call.map>[0]>[0]

/** The pieces of a call as its vendor gives them, in order. */
function piecesOf({ name, arguments: all, cuts, id }: Call, index: number): object[] {
  const ends = [...new Set([...cuts.map(cut => Math.min(cut, all.length)), all.length])].sort((a, b) => a - b)
  const own = `call_${index}`
  const opener = {
    index,
    id: id === 'first' || id === 'always' ? own : '',
    function: { name, arguments: '' },
  }
  const late = id === 'late' ? [{ index, id: own, function: { arguments: '' } }] : []
  const texts = ends.map((end, at) => ({
    index,
    ...(id === 'always' ? { id: own } : {}),
    function: { arguments: all.slice(ends[at - 1] ?? 0, end) },
  }))
  return [opener, ...late, ...texts]
}

/** Several lists as one, each in its own order; `turns` says whose turn it is. */
function mixed(lists: readonly (readonly object[])[], turns: readonly number[]): object[] {
  const left = lists.map(list => [...list])
  const out: object[] = []
  for (let at = 0; left.some(list => list.length > 0); at++) {
    const open = left.filter(list => list.length > 0)
    const next = open[(turns[at % turns.length] ?? 0) % open.length]?.shift()
    if (next !== undefined) out.push(next)
  }
  return out
}

describe('calls in pieces, in any order and cut anywhere', () => {
  it('are told as their vendor told them', async () => {
    let events: readonly object[] = []
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ m: openai({ apiKey: 'k' })('gpt-4o') }),
      transport: async (): Promise<TransportResponse> => ({
        status: 200,
        headers: new Headers({ 'content-type': 'text/event-stream' }),
        body: bytesOf(sse(events)),
      }),
    })
    const ask = async () => {
      const response = await gateway.fetch(
        new Request('http://local/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] }),
        }),
      )
      return readSse(Buffer.from(await response.arrayBuffer()))
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 3 }),
        async (calls, turns, atOnce) => {
          const pieces = mixed(calls.map(piecesOf), turns)
          const groups = Array.from({ length: Math.ceil(pieces.length / atOnce) }, (_, at) =>
            pieces.slice(at * atOnce, (at + 1) * atOnce),
          )
          events = [...groups.map(group => piecesChunk(group)), piecesChunk([], 'tool_calls')]
          const { chunks, done } = await ask()
          expect(done).toBe(true)
          const told = joinedCalls(chunks)
          // In the order in which they were opened.
          const order = [...new Set(pieces.map(piece => (piece as { index: number }).index))]
          expect(told).toEqual(
            order.map(index => ({
              id:
                calls[index]?.id === 'never' ? expect.stringMatching(/^call_[0-9a-f]{24}$/) : `call_${index}`,
              name: calls[index]?.name,
              // A client could not send half of a pair back.
              arguments: calls[index]?.arguments.toWellFormed(),
            })),
          )
        },
      ),
      runs(300),
    )
    await gateway.close()
  })
})

async function* bytesOf(lines: readonly string[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(lines.join(''))
}
