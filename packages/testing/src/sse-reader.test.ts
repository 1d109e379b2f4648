import { expect, test } from 'vitest'
import { chunks, sse } from './bodies.ts'
import { splitBytes } from './split.ts'
import { readSse } from './sse-reader.ts'

async function* each(pieces: Iterable<Uint8Array>, failure?: Error): AsyncGenerator<Uint8Array> {
  yield* pieces
  if (failure) throw failure
}

const good = sse(chunks({ text: 'zwölf Löwen 🦁' })).join('')

test('reads a right stream whole, byte by byte and from a response', async () => {
  const response = new Response(good, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
  for (const source of [good, Buffer.from(good), each(splitBytes(Buffer.from(good), 'bytes')), response]) {
    const read = await readSse(source)
    expect(read.done).toBe(true)
    expect(read.text).toBe('zwölf Löwen 🦁')
    expect(read.chunks).toHaveLength(5)
    expect(read.events.at(-1)).toMatchObject({ event: 'message', data: '[DONE]' })
    expect(`${read.lines.join('\n')}\n`).toBe(good)
    expect(read.rest).toBe('')
  }
})

test('comments between events are kept and are no events', async () => {
  const read = await readSse(`: ping\n\n${good.replace('\n\n', '\n\n: ping 2\n\n')}`)
  expect(read.comments).toEqual([' ping', ' ping 2'])
  expect(read.done).toBe(true)
  expect(read.chunks).toHaveLength(5)
})

test.each([
  ['event: error\ndata: {}\n\n', 'event', 'event: error'],
  ['id: 1\ndata: {}\n\n', 'id', 'id: 1'],
  ['retry: 5\n\n', 'retry', 'retry: 5'],
  ['data: {}\r\n\r\n', 'crlf', 'got CR'],
  ['data: {}\r\r', 'crlf', 'got CR'],
  ['data: [1,\ndata: 2]\n\n', 'multi-line', 'second data line'],
  ['data: {}\n\n\n', 'blank', 'ends no event'],
  ['data: what\n\n', 'text', 'no JSON'],
  ['data: {}\n\ndata: {"a"', 'cut', 'within an event'],
  ['data: {}\n', 'cut', 'within an event'],
] as const)('%j throws unless %s is allowed', async (text, leniency, message) => {
  const others = leniency === 'multi-line' ? (['text'] as const) : []
  await expect(readSse(text, { allow: [...others] })).rejects.toThrow(message)
  const read = await readSse(text, { allow: [leniency, ...others] })
  expect(read.lines.length + read.rest.length).toBeGreaterThan(0)
})

test.each([
  ['data:{}\n\n', 'with its space'],
  ['data\n\n', 'with its space'],
  ['other: 1\n\n', 'expected "data: ..."'],
  [' data: {}\n\n', 'expected "data: ..."'],
  ['data: {}\n: ping\n\n', 'within an event'],
  ['\uFEFFdata: {}\n\n', 'byte order mark'],
])('%j always throws', async (text, message) => {
  await expect(
    readSse(text, { allow: ['event', 'id', 'retry', 'crlf', 'multi-line', 'blank', 'text'] }),
  ).rejects.toThrow(message)
})

test('bytes that are no UTF-8 throw, also where they are cut off at the end', async () => {
  await expect(readSse(Uint8Array.of(0x64, 0xc3, 0x28))).rejects.toThrow()
  await expect(readSse(Uint8Array.of(0x3a, 0xe2, 0x82))).rejects.toThrow()
})

test('names and several lines are read where they are allowed', async () => {
  const read = await readSse('event: error\ndata: {"error":\ndata: {"message":"m"}}\n\n', {
    allow: ['event', 'multi-line', 'text'],
  })
  expect(read.events).toMatchObject([{ event: 'error', data: '{"error":\n{"message":"m"}}' }])
  expect(read.chunks[0]?.error?.message).toBe('m')
})

test('done only where one [DONE] came, and last', async () => {
  expect((await readSse('data: {}\n\n')).done).toBe(false)
  expect((await readSse('data: [DONE]\n\ndata: {}\n\n')).done).toBe(false)
  expect((await readSse('data: [DONE]\n\ndata: [DONE]\n\n')).done).toBe(false)
  expect((await readSse('data: [DONE]\n\n: bye\n\n')).done).toBe(true)
  expect((await readSse('')).done).toBe(false)
})

test('a body that fails throws what it threw, or tells it with what came before', async () => {
  const failure = new Error('gone')
  const bytes = [Buffer.from('data: {"a":1}\n\ndata: {"b"')]
  await expect(readSse(each(bytes, failure))).rejects.toBe(failure)
  const read = await readSse(each(bytes, failure), { allow: ['cut'] })
  expect(read).toMatchObject({ failure, rest: 'data: {"b"', chunks: [{ a: 1 }], done: false })
})

test('a broken rule throws also where a cut is allowed', async () => {
  await expect(readSse('id: 1\n\n', { allow: ['cut'] })).rejects.toThrow('id: 1')
})

test('an answer of another type throws and is quoted', async () => {
  const response = Response.json({ error: { message: 'no model' } }, { status: 404 })
  await expect(readSse(response)).rejects.toThrow('got application/json, expected text/event-stream')
  await expect(readSse(Response.json({ error: 'no model' }))).rejects.toThrow('no model')
})

test('tells when each event came', async () => {
  async function* slow() {
    yield Buffer.from('data: {}\n\n')
    await new Promise(resolve => setTimeout(resolve, 60))
    yield Buffer.from('data: [DONE]\n\n')
  }
  const [first, last] = (await readSse(slow())).events
  expect(last!.at - first!.at).toBeGreaterThan(50)
})
