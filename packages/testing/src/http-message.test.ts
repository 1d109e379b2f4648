import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteReader } from './byte-reader.ts'
import { framingOf, readBody, readHead } from './http-message.ts'
import { splitBytes } from './split.ts'

function readerOf(text: string, options: { ends?: boolean; seed?: number } = {}): ByteReader {
  const reader = new ByteReader()
  for (const piece of splitBytes(Buffer.from(text), { seed: options.seed ?? 1, max: 4 })) reader.push(piece)
  if (options.ends !== false) reader.end()
  return reader
}

test('a reader gives lines and counts in order, however the bytes come', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), async seed => {
      const reader = readerOf('one\r\ntwo\nthree four', { seed })
      expect(await reader.line()).toBe('one')
      expect(await reader.line()).toBe('two')
      expect((await reader.exactly(5)).toString()).toBe('three')
      expect(await reader.line()).toBeUndefined()
      expect((await reader.rest()).toString()).toBe(' four')
      expect(reader.size).toBe(0)
    }),
  )
})

test('a read waits for bytes that have not come', async () => {
  const reader = new ByteReader()
  const line = reader.line()
  reader.push(Buffer.from('la'))
  reader.push(Buffer.from('te\n'))
  expect(await line).toBe('late')
})

test('a head keeps spelling, order and repeats, and joins repeats in the record', async () => {
  const head = await readHead(readerOf('GET / HTTP/1.1\r\nX-A: 1\r\nx-b:  2 \r\nx-a: 3\r\n\r\n'))
  expect(head?.startLine).toBe('GET / HTTP/1.1')
  expect(head?.rawHeaders).toEqual([
    ['X-A', '1'],
    ['x-b', '2'],
    ['x-a', '3'],
  ])
  expect(head?.headers).toEqual({ 'x-a': '1, 3', 'x-b': '2' })
})

test('a head that the peer cut is undefined, one with a line that is no header throws', async () => {
  expect(await readHead(readerOf('GET / HTTP/1.1\r\nx-a'))).toBeUndefined()
  expect(await readHead(readerOf(''))).toBeUndefined()
  await expect(readHead(readerOf('GET / HTTP/1.1\r\nnonsense\r\n\r\n'))).rejects.toThrow(
    'got the line "nonsense"',
  )
})

test('chunked bodies: extensions, trailers, cut and malformed', async () => {
  const whole = await readBody(readerOf('3;a=b\r\nabc\r\nA\r\n0123456789\r\n0\r\nx-t: 1\r\n\r\n'), 'chunked')
  expect(whole.bytes.toString()).toBe('abc0123456789')
  expect(whole).toMatchObject({ complete: true, chunkSizes: [3, 10] })
  expect(await readBody(readerOf('5\r\nab'), 'chunked')).toMatchObject({ complete: false })
  expect(await readBody(readerOf('2\r\nab\r\n'), 'chunked')).toMatchObject({ complete: false })
  await expect(readBody(readerOf('zz\r\n'), 'chunked')).rejects.toThrow('got the line "zz"')
  await expect(readBody(readerOf('2\r\nabc\r\n'), 'chunked')).rejects.toThrow('chunk of 2 bytes')
})

test('framing by the headers: chunked before length, else what was asked for', () => {
  expect(framingOf({ 'transfer-encoding': 'Chunked', 'content-length': '3' }, 0)).toBe('chunked')
  expect(framingOf({ 'content-length': '3' }, 0)).toBe(3)
  expect(framingOf({}, 'until-close')).toBe('until-close')
  expect(() => framingOf({ 'content-length': '-3' }, 0)).toThrow('content-length: got "-3"')
})
