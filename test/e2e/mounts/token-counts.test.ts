import type { IncomingHttpHeaders } from 'node:http'
import { apiKeys, createGateway, type EndEvent, models, requests } from '@sluice/core'
import { toNodeListener } from '@sluice/node'
import { anthropic } from '@sluice/providers'
import { expect, it, onTestFinished } from 'vitest'
import { listening } from './receive.ts'

/** A gateway over a vendor that counts 42 tokens, or fails. */
async function counting(status = 200) {
  const seen: { url: string | undefined; headers: IncomingHttpHeaders; body: string }[] = []
  const vendor = await listening(async (incoming, response) => {
    let body = ''
    for await (const piece of incoming) body += piece
    seen.push({ url: incoming.url, headers: incoming.headers, body })
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end('{"input_tokens":42}')
  })
  const ends: EndEvent[] = []
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'sk-ann' }]),
    route: models({
      m: anthropic({ apiKey: 'vendor-key', baseURL: `http://127.0.0.1:${vendor}/v1` })('claude-x'),
    }),
    limits: requests(1).per('hour'),
    observe: event => void (event.type === 'end' && ends.push(event)),
  })
  onTestFinished(() => gateway.close({ drainMs: 0 }))
  const port = await listening(toNodeListener(gateway))
  const count = (headers: Record<string, string> = { 'x-api-key': 'sk-ann' }) =>
    fetch(`http://127.0.0.1:${port}/v1/messages/count_tokens?beta=true`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01', ...headers },
      body: '{"model":"m", "messages":[{"role":"user","content":"Hi"}]}',
    })
  return { count, seen, ends }
}

it('asks the vendor, and sends it neither header with the key of the caller', async () => {
  const { count, seen } = await counting()
  for (const headers of [
    { 'x-api-key': 'sk-ann' },
    { authorization: 'Bearer sk-ann' },
    { authorization: 'Bearer sk-ann', 'x-api-key': 'sk-other' },
  ]) {
    const response = await count(headers as Record<string, string>)
    expect(await response.text()).toBe('{"input_tokens":42}')
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
  }
  for (const { url, headers, body } of seen) {
    expect(url).toBe('/v1/messages/count_tokens')
    expect(headers['x-api-key']).toBe('vendor-key')
    expect(headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(headers)).not.toMatch(/sk-ann|sk-other/)
    expect(body).toBe('{"model":"claude-x", "messages":[{"role":"user","content":"Hi"}]}')
  }
  expect(seen).toHaveLength(3)
})

it('answers 25 at once, however few requests the key has', async () => {
  const { count, ends } = await counting()
  const answers = await Promise.all(Array.from({ length: 25 }, () => count()))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  await expect.poll(() => ends.length).toBe(25)
  expect(ends[0]).toMatchObject({ operation: 'countTokens', usage: undefined, cost: null })
})

it.each([404, 429, 500])('estimates where the vendor answers %i', async status => {
  const { count } = await counting(status)
  const response = await count()
  expect(response.status).toBe(200)
  expect(response.headers.get('x-sluice-adjustments')).toBe('"input_tokens";action=mapped;detail="estimated"')
  const { input_tokens } = (await response.json()) as { readonly input_tokens: number }
  expect(input_tokens).toBeGreaterThan(0)
})
