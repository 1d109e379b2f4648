import { describe, expect, it } from 'vitest'
import { Credentials } from './credentials.ts'

const url = 'https://models.internal:8443/v1/chat/completions'
const key = '9f86d081884c7d659a2feaa0c55ad015'
const bearer = new Credentials({ url, headers: { authorization: `Bearer ${key}` } })

/** The forms in which a text may repeat a key. */
const forms: readonly [string, (key: string) => string][] = [
  ['as it is', it => it],
  ['in capitals', it => it.toUpperCase()],
  ['its first 8 characters', it => it.slice(0, 8)],
  ['its last 8 characters', it => it.slice(-8)],
  ['percent-encoded', it => encodeURIComponent(it)],
  ['percent-encoded throughout', it => it.replace(/./g, c => `%${c.charCodeAt(0).toString(16)}`)],
  ['in JSON', it => JSON.stringify(it)],
  ['in escapes of JSON', it => it.replace(/./g, c => `\\u00${c.charCodeAt(0).toString(16)}`)],
  ['in escapes of HTML', it => it.replace(/./g, c => `&#${c.charCodeAt(0)};`)],
  ['in base64', it => btoa(it)],
  ['in base64 with its scheme', it => btoa(`Bearer ${it}`)],
  ['in base64 after two bytes', it => btoa(`x:${it}`)],
  ['its first 8 characters in base64', it => btoa(it.slice(0, 8))],
  ['in base64url', it => btoa(it).replaceAll('+', '-').replaceAll('/', '_')],
  ['in hexadecimal digits', it => Buffer.from(it).toString('hex')],
  ['in quotes', it => `'${it}'`],
  ['in a URL', it => `https://v.test/m?key=${encodeURIComponent(it)}&alt=sse`],
]

describe('Credentials', () => {
  describe.each([
    ['hexadecimal digits', key],
    ['a usual key', 'sk-proj-AbC123_def-456GHI789jkl'],
    ['signs that need an escape', 'p"ss/w+rd=%41 &~\\end'],
    ['plain letters', 'correcthorsebatterystaple'],
  ])('a key of %s', (_, secret) => {
    const credentials = new Credentials({ url, headers: { 'x-key': secret } })

    it.each(forms)('is taken out: %s', (_, form) => {
      const clean = credentials.without(`Wrong key (${form(secret)}), try another one.`)
      expect(clean).toContain('[removed]')
      for (let at = 0; at + 8 <= secret.length; at++) {
        const piece = secret.slice(at, at + 8)
        for (const text of [piece, encodeURIComponent(piece), btoa(encodeURIComponent(piece)), form(piece)])
          expect(clean.toLowerCase()).not.toContain(text.toLowerCase())
      }
    })
  })

  it('leaves what is none', () => {
    const text = "Invalid type for 'messages[0].content': expected a string, but got 7 instead."
    expect(bearer.without(text)).toBe(text)
    expect(bearer.in(text)).toBe(false)
    const plain = {
      accept: 'application/json',
      'content-type': 'application/json',
      'x-version': '2023-06-01',
    }
    const none = new Credentials({ url, headers: plain })
    expect(none.without('Expected application/json of 2023-06-01.')).toBe(
      'Expected application/json of 2023-06-01.',
    )
  })

  it('takes out the words around it as they stand', () => {
    expect(bearer.without(`Wrong key ${key}, and ${key}.`)).toBe('Wrong key [removed], and [removed].')
  })

  it('takes out the host that was asked', () => {
    expect(bearer.without('No route to models.internal:8443 (models.internal).')).toBe(
      'No route to [removed] ([removed]).',
    )
    const word = new Credentials({ url: 'http://model/v1', headers: {} })
    expect(word.without('The model is not loaded.')).toBe('The model is not loaded.')
  })

  it('takes out values of the query', () => {
    const asked = new Credentials({ url: `${url}?key=abc%2Fdef123&alt=sse`, headers: {} })
    expect(asked.without('Wrong key abc/def123 (abc%2Fdef123)')).toBe('Wrong key [removed] ([removed])')
  })

  it.each(['AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNNAEXAMPLE'])(
    'of a signature takes out the key and the signature, not the words: %s',
    id => {
      const authorization = `AWS4-HMAC-SHA256 Credential=${id}/20250101/us-east-1/bedrock/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=${key}`
      const signed = new Credentials({ url, headers: { authorization } })
      expect(signed.without(`${id} ${key} lacks content-type in us-east-1 of bedrock/x`)).toBe(
        '[removed] [removed] lacks content-type in us-east-1 of bedrock/x',
      )
    },
  )

  it('stands a request that is none', () => {
    const headers = { 'x-key': 7 } as unknown as Record<string, string>
    const broken = { url: undefined, headers: undefined } as unknown as { url: string; headers: never }
    expect(new Credentials(broken).without('words')).toBe('words')
    expect(new Credentials({ url: 'nonsense', headers }).without('words')).toBe('words')
  })
})
