import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigurationError } from '@sluice/core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type WebhookOptions, webhook } from '../src/index.ts'
import { complete, errorOf, messageOf, pieces, serving, streamedText } from './support/serving.ts'

const secret = 'a-secret-of-the-tests'

interface Received {
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

/** An endpoint on a socket. `answer` may write anything. */
async function endpoint(answer: (response: ServerResponse, index: number) => void) {
  const received: Received[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8')
    request.on('data', (text: string) => {
      body += text
    })
    request.on('end', () => {
      received.push({ body, headers: request.headers })
      answer(response, received.length - 1)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/decide?token=hidden`,
    received,
    server,
  }
}

const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value))

function asking(url: string, options: Partial<WebhookOptions> = {}) {
  const hook = webhook({ url, secret, allowPrivateAddresses: true, random: () => 0, ...options })
  return serving(({ stream }) => (stream ? pieces('Hel', 'lo') : complete('Hello')), { hooks: [hook] })
}

describe('webhook', () => {
  it('sends a request, signed, and nothing else of it', async () => {
    const { url, received } = await endpoint(json({ allow: true }))
    const { say, inputs } = asking(url, { now: () => 1_700_000_000_500 })
    const response = await say('Hi', { user: 'u1', seed: 7 }, { authorization: 'Bearer sk-caller' })
    expect((await messageOf(response)).content).toBe('Hello')
    expect(inputs[0]!.messages).toEqual([{ role: 'user', content: 'Hi' }])
    const [{ body, headers }] = received as [Received]
    expect(JSON.parse(body)).toEqual({
      type: 'request',
      requestId: response.headers.get('x-request-id'),
      principal: { id: 'ann' },
      operation: 'generate',
      dialect: 'chat',
      model: 'm',
      user: 'u1',
      stream: false,
      texts: [{ path: ['messages', 0, 'content'], text: 'Hi', role: 'user' }],
    })
    expect(headers['content-type']).toBe('application/json')
    expect(headers['x-sluice-timestamp']).toBe('1700000000')
    const digest = createHmac('sha256', secret).update(`1700000000.${body}`).digest('hex')
    expect(headers['x-sluice-signature']).toBe(`v1=${digest}`)
    expect(headers.authorization).toBeUndefined()
  })

  it('refuses and edits as the endpoint decides', async () => {
    const answers = [
      { refuse: { message: 'Not this.' } },
      { edits: [{ path: ['messages', 0, 'content'], value: 'Bye' }] },
    ]
    const { url } = await endpoint((response, index) => json(answers[index])(response))
    const { say, inputs } = asking(url)
    expect(await errorOf(await say('Hi'))).toMatchObject({ code: 'refused_by_policy', message: 'Not this.' })
    expect((await say('Hi')).status).toBe(200)
    expect(inputs.map(({ messages }) => messages)).toEqual([[{ role: 'user', content: 'Bye' }]])
  })

  it('decides about responses, streams included', async () => {
    const answers = [
      { allow: true },
      { texts: [{ choice: 0, text: 'Bye' }] },
      { texts: [{ choice: 0, text: 'Bye' }] },
      { refuse: { message: 'Not this.' } },
    ]
    const { url, received } = await endpoint((response, index) => json(answers[index])(response))
    const { say } = asking(url, { direction: 'response' })
    expect((await messageOf(await say('Hi'))).content).toBe('Hello')
    expect(JSON.parse(received[0]!.body)).toMatchObject({
      type: 'response',
      isRetry: false,
      choices: [{ choice: 0, text: 'Hello', refusal: null, toolCalls: [] }],
    })
    expect((await messageOf(await say('Hi'))).content).toBe('Bye')
    expect(await streamedText(await say('Hi', { stream: true }))).toBe('Bye')
    expect((await errorOf(await say('Hi'))).message).toBe('Not this.')
  })

  it('tries again after 5xx, 429 and closed connections', async () => {
    const { url, received } = await endpoint((response, index) => {
      if (index === 0) response.writeHead(503).end('secret')
      else if (index === 1) response.destroy()
      else if (index === 2) response.writeHead(429).end()
      else json({ allow: true })(response)
    })
    expect((await asking(url).say('Hi')).status).toBe(200)
    expect(received).toHaveLength(4)
  })

  it.each<[string, (response: ServerResponse) => void, RegExp]>([
    ['a redirect', response => void response.writeHead(307, { location: '/other' }).end(), /redirect|307/],
    ['a status', response => void response.writeHead(404).end('secret text'), /404/],
    ['no JSON', response => void response.end('secret text'), /no valid JSON/],
    ['no object', json([{ allow: true }]), /allow, refuse or edits/],
    ['nothing allowed', json({ allow: false }), /allow: true/],
    ['two decisions', json({ allow: true, refuse: { message: 'x' } }), /allow, refuse or edits/],
    ['no message', json({ refuse: {} }), /1 to 1000/],
    ['a long message', json({ refuse: { message: 'x'.repeat(1_001) } }), /1 to 1000/],
    ['an edit of another member', json({ edits: [{ path: ['model'], value: 'x' }] }), /edits/],
    ['an edit without a text', json({ edits: [{ path: ['messages', 0, 'content'], value: 7 }] }), /edits/],
    ['too much', response => void response.end(`"${'x'.repeat(3_000)}"`), /more than 2000 bytes/],
  ])('fails with %s, unless it is open', async (_, answer, message) => {
    const { url, received } = await endpoint(answer)
    const { say, warnings } = asking(url, { maxResponseBytes: 2_000 })
    const response = await say('A prompt')
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.not.stringMatching(/secret|webhook|127/),
    ])
    expect(received).toHaveLength(1)
    const [{ error }] = warnings() as unknown as [{ error: Error }]
    expect(error.message).toMatch(message)
    expect(`${error.stack} ${JSON.stringify(error.cause ?? '')}`).not.toMatch(/hidden|A prompt|secret text/)
    expect((await asking(url, { maxResponseBytes: 2_000, onFailure: 'open' }).say('Hi')).status).toBe(200)
  })

  it('fails in time when the endpoint is silent, and when nobody listens', async () => {
    const { url, server, received } = await endpoint(() => {})
    const started = performance.now()
    const silent = asking(url, { timeoutMs: 60 })
    expect((await silent.say('Hi')).status).toBe(500)
    expect(received).toHaveLength(1)
    expect(silent.warnings()).toMatchObject([{ error: { message: 'The webhook did not respond in time.' } }])
    server.close()
    server.closeAllConnections()
    const closed = asking(url, { timeoutMs: 120 })
    expect((await closed.say('Hi')).status).toBe(500)
    const [{ error }] = closed.warnings() as unknown as [{ error: Error }]
    expect(error.message).toMatch(/could not be reached \(ECONNREFUSED\)/)
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('is left when the client leaves', async () => {
    const leaving = new AbortController()
    let closed: Promise<unknown> | undefined
    const { url } = await endpoint(response => {
      closed = new Promise(resolve => response.once('close', resolve))
      leaving.abort()
    })
    const { gateway, inputs } = asking(url, { timeoutMs: 60_000 })
    const request = new Request('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] }),
      signal: leaving.signal,
    })
    await gateway.fetch(request).catch(() => {})
    await closed
    expect(inputs).toEqual([])
  })

  it('asks before the body is validated', async () => {
    const { url } = await endpoint(json({ allow: true }))
    const { post, warnings } = asking(url)
    for (const messages of [undefined, 7, [null]]) {
      expect((await post('chat/completions', { messages })).status).toBe(400)
    }
    expect(warnings()).toEqual([])
  })

  it('calls with a fetch of the user', async () => {
    const urls: unknown[] = []
    const guarded: typeof fetch = async (url, init) => {
      urls.push(url, init?.redirect)
      return Response.json({ refuse: { message: 'Guarded.' } })
    }
    const { say } = asking('https://moderation.example.com/', {
      allowPrivateAddresses: false,
      fetch: guarded,
    })
    expect((await errorOf(await say('Hi'))).message).toBe('Guarded.')
    expect(urls).toEqual(['https://moderation.example.com/', 'manual'])
  })

  it.each([
    'http://moderation.example.com/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://app.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://moderator/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://0x7f000001/',
    'https://2130706433/',
    'https://10.1.2.3/',
    'https://172.31.0.1/',
    'https://192.168.0.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/',
    'https://0.0.0.0/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:db8::1]/',
    'https://user:pass@moderation.example.com/',
    'ftp://moderation.example.com/',
    'moderation.example.com',
  ])('refuses %s', url => {
    expect(() => webhook({ url, secret })).toThrow(ConfigurationError)
    expect(() => webhook({ url, secret })).toThrow(/url/)
    expect(() => webhook({ url, secret })).not.toThrow(/pass|moderation\.example\.com\/?$/)
  })

  it.each([
    'https://8.8.8.8/',
    'https://[2606:4700::1]/',
    'https://moderation.example.com:8443/x',
    'https://172.32.0.1/',
  ])('takes %s', url => {
    expect(webhook({ url, secret }).name).toBe('webhook')
  })

  it.each<[unknown, RegExp]>([
    [{}, /url.*secret/s],
    [{ url: 'https://a.example.com', secret: 'short' }, /secret: got a string/],
    [{ url: 'https://a.example.com', secret, direction: 'up' }, /direction/],
    [{ url: 'https://a.example.com', secret, maxResponseBytes: 0 }, /maxResponseBytes/],
    [{ url: 'https://a.example.com', secret, timeoutMs: 0 }, /timeoutMs/],
    [undefined, /object/],
  ])('is checked: %j', (options, message) => {
    expect(() => webhook(options as WebhookOptions)).toThrow(message)
  })
})
