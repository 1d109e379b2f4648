import { openaiCompatible } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { connectRawClient, misbehaviours, readSse, requestBytes, startUpstream } from '@sluice/testing'
import OpenAI from 'openai'
import { afterAll, expect, it, vi } from 'vitest'
import { overMounts } from './over-mounts.ts'
import { base, headersOf, type Site } from './site.ts'
import { testGateway } from './test-gateway.ts'

type Hang = 'hang-before-headers' | 'hang-after-headers' | 'hang-mid-stream'
const upstream = await startUpstream(({ json }) => misbehaviours[json?.model as Hang])
const hanging = openaiCompatible({ name: 'hanging', baseURL: upstream.baseURL })
const hangs: Hang[] = ['hang-before-headers', 'hang-after-headers', 'hang-mid-stream']
const slow = local({ script: () => ({ text: 'one two three', delayMs: 300, chunkDelayMs: 200 }) })
const table = Object.fromEntries([['slow', slow('slow')], ...hangs.map(name => [name, hanging(name)])])

afterAll(() => upstream.close())

overMounts(
  () => testGateway(table, { stream: { keepAliveMs: 25, holdMs: 25 } }),
  site => {
    it.each([
      ['hang-before-headers', true],
      ['hang-after-headers', true],
      ['hang-mid-stream', true],
      ['hang-before-headers', false],
    ] as const)('C99 leaves the upstream when the caller leaves: %s, stream: %s', async (model, stream) => {
      const user = crypto.randomUUID()
      const client = await asking(site, { model, stream, user })
      const index = () => upstream.requests.findIndex(({ json }) => json?.user === user)
      await vi.waitUntil(() => index() >= 0, { timeout: 5000, interval: 2 })
      if (stream) await client.waitFor(model === 'hang-mid-stream' ? 'data: ' : ': keep-alive')
      client.reset()
      await upstream.waitForClose(index() + 1)
      await client.close()
    })

    it('C100 sends comments while nothing else comes', async () => {
      const answer = await site.chat({ model: 'slow', stream: true })
      const { comments, text, done, lines } = await readSse(answer.bytes)
      expect(comments.length).toBeGreaterThanOrEqual(3)
      expect(lines[0]).toMatch(/^:/)
      expect(text).toBe('one two three')
      expect(done).toBe(true)
    })

    it('C100 sends comments that the client does not mind', async () => {
      const openai = new OpenAI({ baseURL: site.place.baseURL, apiKey: 'good-key', maxRetries: 0 })
      const stream = openai.chat.completions.stream({
        model: 'slow',
        messages: [{ role: 'user', content: 'Hello!' }],
      })
      expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe('one two three')
    })

    it('C101 sends its head before there is a token', async () => {
      const client = await asking(site, { model: 'hang-after-headers', stream: true })
      await client.waitFor('\r\n\r\n')
      const head = Buffer.from(client.received).toString()
      expect(head).toMatch(/^HTTP\/1\.1 200 /)
      expect(head.toLowerCase()).toContain('content-type: text/event-stream')
      expect(head).not.toContain('data:')
      await client.close()
    })
  },
  { inTurn: false },
)

/** A client that has sent a request and reads what comes. */
async function asking(site: Site, fields: object) {
  const client = await connectRawClient({ port: site.port })
  const body = { ...base, ...fields }
  await client.send(requestBytes({ path: site.pathOf('/chat/completions'), headers: headersOf({}), body }))
  return client
}
