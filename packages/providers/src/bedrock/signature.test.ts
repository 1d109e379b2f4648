import { createHash, createHmac } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fetchTransport, type Transport } from '@sluice/core/provider'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { defaultTransport } from '../../../core/src/transports/undici.ts'
import { signedHeaders } from './signature.ts'

const at = Date.UTC(2015, 7, 30, 12, 36, 0, 789)
const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}

const sha256 = (data: string) => createHash('sha256').update(data).digest('hex')
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()

function signingKey(date: string, region: string, service: string): Buffer {
  const ofDate = hmac(`AWS4${credentials.secretAccessKey}`, date)
  return hmac(hmac(hmac(ofDate, region), service), 'aws4_request')
}

/** A request as a server sees it: the path is the raw one of the request line. */
interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** What AWS does with a request: it signs it again, by the headers that the caller says it signed. */
function authorizationOf({ path, headers, body }: Received, region: string): string {
  const signed = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? ''
  const time = String(headers['x-amz-date'])
  const scope = `${time.slice(0, 8)}/${region}/bedrock/aws4_request`
  const canonical = [
    'POST',
    // Every service but S3 takes the path encoded once more.
    path.split('/').map(encodeURIComponent).join('/'),
    '',
    ...signed.split(';').map(name => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    sha256(body),
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')
  const signature = hmac(signingKey(time.slice(0, 8), region, 'bedrock'), toSign).toString('hex')
  return `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`
}

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

describe('signedHeaders', () => {
  it('is checked by a computation that gives the example which AWS publishes', () => {
    const toSign = [
      'AWS4-HMAC-SHA256',
      '20150830T123600Z',
      '20150830/us-east-1/iam/aws4_request',
      'f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59',
    ].join('\n')
    const key = signingKey('20150830', 'us-east-1', 'iam')
    expect(key.toString('hex')).toBe('c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9')
    expect(hmac(key, toSign).toString('hex')).toBe(
      '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    )
  })

  it('signs host, date and token, and the double-encoded path', async () => {
    const path = '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse'
    const body = '{"messages":[{"role":"user","content":[{"text":"Grüße 🙂"}]}]}'
    const headers = await signedHeaders(
      {
        url: `https://bedrock-runtime.eu-central-1.amazonaws.com${path}`,
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
      },
      { ...credentials, sessionToken: 'token+/=' },
      'eu-central-1',
      at,
    )
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-amz-date': '20150830T123600Z',
      'x-amz-security-token': 'token+/=',
      authorization: expect.stringContaining('SignedHeaders=accept;host;x-amz-date;x-amz-security-token,'),
    })
    const seen = { ...headers, host: 'bedrock-runtime.eu-central-1.amazonaws.com' }
    expect(headers.authorization).toBe(authorizationOf({ path, headers: seen, body }, 'eu-central-1'))
  })

  it('holds for any model and body', async () => {
    const model = fc.stringMatching(/^[a-zA-Z0-9:/._-]{1,80}$/)
    await fc.assert(
      fc.asyncProperty(model, fc.string({ unit: 'grapheme' }), async (id, body) => {
        const path = `/model/${encodeURIComponent(`m${id}`)}/converse-stream`
        const headers = await signedHeaders(
          { url: `https://host.example${path}`, headers: {}, body },
          credentials,
          'us-east-1',
          at,
        )
        const seen = { ...headers, host: 'host.example' }
        expect(headers.authorization).toBe(authorizationOf({ path, headers: seen, body }, 'us-east-1'))
      }),
    )
  })

  const transports: [string, () => Transport][] = [
    [
      'undici',
      () => {
        const transport = defaultTransport({ connectMs: 500 })
        cleanups.push(() => void transport.close?.())
        return transport
      },
    ],
    ['fetch', () => fetchTransport()],
  ]

  it.each(transports)('still holds for what the %s transport sends', async (_, make) => {
    const received: Received[] = []
    const server = createServer(async (request, response) => {
      let body = ''
      for await (const part of request.setEncoding('utf8')) body += part
      received.push({ path: request.url!, headers: request.headers, body })
      response.end()
    })
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
    cleanups.push(() => server.close())
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/model/arn%3Aaws%3Abedrock%2Fx/converse`
    const body = '{"text":"Grüße 🙂"}'
    const headers = await signedHeaders(
      {
        url,
        headers: { 'content-type': 'application/json', accept: 'application/vnd.amazon.eventstream' },
        body,
      },
      { ...credentials, sessionToken: 'token' },
      'us-west-2',
      at,
    )
    const response = await make()({ method: 'POST', url, headers, body }, new AbortController().signal)
    for await (const _ of response.body);
    expect(received[0]?.body).toBe(body)
    expect(received[0]?.headers.authorization).toBe(authorizationOf(received[0]!, 'us-west-2'))
  })
})
