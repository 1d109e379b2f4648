import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { PeekedBody } from './peeked-body.ts'

const bodyOf = (reads: Iterable<string | Uint8Array>) =>
  new PeekedBody(scriptedResponse({ body: reads }).body)

describe('PeekedBody', () => {
  it.each([' ', '\t', '\r', '\n'])('begins as JSON after white space: %j', async blank => {
    expect(await bodyOf([blank, `${blank}{}`]).beginsAsJson()).toBe(true)
    expect(await bodyOf([blank, `${blank}[`]).beginsAsJson()).toBe(true)
    expect(await bodyOf([`${blank}data: {}`]).beginsAsJson()).toBe(false)
  })

  it('is whole as text, wherever its bytes are cut', async () => {
    const text = '{"a":"é漢😀"}'
    const body = bodyOf(Array.from(new TextEncoder().encode(text), byte => Uint8Array.of(byte)))
    expect(await body.beginsAsJson()).toBe(true)
    expect(await body.text()).toBe(text)
  })

  it('is garbled as text above 32 MiB', async () => {
    const read = new Uint8Array(1_048_576).fill(0x20)
    const most = Array<Uint8Array>(32).fill(read)
    expect(await bodyOf(most).text()).toHaveLength(33_554_432)
    await expect(bodyOf([...most, ' ']).text()).rejects.toMatchObject({ kind: 'garbled' })
  })

  it('needs of a body no more than to be read, and asks no more of it after its end', async () => {
    for (const reads of [[], ['data: {}']]) {
      const parts = reads.map(text => new TextEncoder().encode(text))
      let ended = false
      const next = async (): Promise<IteratorResult<Uint8Array, undefined>> => {
        const value = parts.shift()
        if (value !== undefined) return { done: false, value }
        if (ended) throw new Error('It has ended.')
        ended = true
        return { done: true, value: undefined }
      }
      const body = new PeekedBody({ [Symbol.asyncIterator]: () => ({ next }) })
      expect(await body.beginsAsJson()).toBe(false)
      expect(await body.text()).toBe(reads.join(''))
      expect(await body.text()).toBe('')
      expect(body.ended).toBe(true)
    }
    const blank = { next: async () => ({ done: false, value: new Uint8Array(1_024).fill(0x20) }) as const }
    const endless = () => new PeekedBody({ [Symbol.asyncIterator]: () => blank })
    await expect(endless().beginsAsJson()).rejects.toMatchObject({ kind: 'garbled' })
    for await (const read of endless()) {
      expect(read).toHaveLength(1_024)
      break
    }
  })
})
