import { describe, expect, it } from 'vitest'
import { receive } from '../../../test/e2e/mounts/receive.ts'
import { hostBody } from './host-body.ts'

const post = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello'

async function message(read: boolean) {
  const { incoming } = await receive(post)
  if (read) for await (const _ of incoming);
  return incoming
}

describe('hostBody', () => {
  it('leaves an unread message to be read, whatever a parser says of it', async () => {
    expect(hostBody(await message(false), {})).toBeUndefined()
    expect(hostBody(await message(false), { body: {} })).toBeUndefined()
  })

  it('takes what a parser made of a message that was read', async () => {
    const incoming = await message(true)
    expect(hostBody(incoming, { body: { a: 1 } })).toEqual({ kind: 'parsed', value: { a: 1 } })
    expect(hostBody(incoming, { body: null })).toEqual({ kind: 'parsed', value: null })
    expect(hostBody(incoming, { body: 'text' })).toEqual({ kind: 'bytes', bytes: Buffer.from('text') })
    expect(hostBody(incoming, { body: Buffer.from('raw') })).toEqual({
      kind: 'bytes',
      bytes: Buffer.from('raw'),
    })
  })

  it('prefers the raw body', async () => {
    const read = { rawBody: 'raw', body: { parsed: true } }
    expect(hostBody(await message(true), read)).toEqual({ kind: 'bytes', bytes: Buffer.from('raw') })
    expect(hostBody(await message(false), read)).toEqual({ kind: 'bytes', bytes: Buffer.from('raw') })
  })

  it('says so where nobody kept what was read', async () => {
    expect(hostBody(await message(true), {})).toBe('lost')
  })
})
