import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { apiKeys, createGateway, type GatewayEvent, models } from '@sluice/core'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openaiCompatible } from '../../src/index.ts'

/** A server that answers by the key of a request. */
async function keyedServer() {
  const statuses = new Map<string, number>()
  const used: string[] = []
  const server = createServer((request, response) => {
    const key = request.headers.authorization?.replace('Bearer ', '') ?? ''
    used.push(key)
    const status = statuses.get(key) ?? 200
    let body = ''
    request.on('data', chunk => (body += chunk))
    request.on('end', () => {
      if (status !== 200) {
        response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '20' })
        response.end(JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }))
      } else if (JSON.parse(body).stream === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const chunk = { choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }] }
        response.end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`)
      } else {
        response.writeHead(200, { 'content-type': 'application/json' })
        const message = { role: 'assistant', content: 'hi' }
        response.end(JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }))
      }
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { statuses, used, baseURL: `http://127.0.0.1:${port}/v1` }
}

const secrets = ['sk-first-0123456789abcdef', 'sk-second-0123456789abcdef'] as const

async function served() {
  const { baseURL, statuses, used } = await keyedServer()
  const events: GatewayEvent[] = []
  const acme = openaiCompatible({ name: 'acme', baseURL, apiKey: secrets })
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
    route: models({ m: acme('large') }),
    observe: event => events.push(event),
    traceHeader: () => true,
    retry: false,
  })
  onTestFinished(() => gateway.close({ drainMs: 1 }))
  const post = async (stream: boolean) => {
    const response = await gateway.fetch(
      new Request('http://gateway.test/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', stream, messages: [{ role: 'user', content: 'Hi' }] }),
      }),
    )
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return { statuses, used, events, post }
}

describe('a provider with two API keys', () => {
  it.each([401, 403, 429])('answers with the second one while the first one gets a %d', async status => {
    const { statuses, used, events, post } = await served()
    statuses.set(secrets[0], status)
    for (let calls = 0; calls < 40; calls++) {
      const { status: got, text } = await post(calls % 2 === 0)
      expect(got).toBe(200)
      expect(text).toContain('hi')
    }
    expect(used.filter(key => key === secrets[0])).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'provider_key')).toMatchObject([
      { provider: 'acme', model: 'large', key: 'key 1', state: 'cooldown' },
    ])
    expect(events.filter(({ type }) => type === 'target')).toEqual([])
  })

  it('is limited when both are, and no one learns of a key', async () => {
    const logged = ['log', 'warn', 'error', 'info'] as const
    const consoles = logged.map(name => vi.spyOn(console, name))
    const { statuses, events, post } = await served()
    for (const key of secrets) statuses.set(key, 429)
    const { status, headers, text } = await post(false)
    expect([status, headers.get('retry-after')]).toEqual([429, '20'])
    const shown = JSON.stringify([events, text, [...headers]])
    for (const secret of secrets) expect(shown).not.toContain(secret)
    for (const spy of consoles) expect(spy).not.toHaveBeenCalled()
    expect(headers.get('x-sluice-trace')).toContain('key 1')
  })
})
