import { type Target, type Transport, UpstreamError } from '@sluice/core'
import type { Provider } from '@sluice/core/provider'
import { bedrock, vertex } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../../e2e/mounts/mounts.ts'
import { misdeeds, ownWords } from '../harness/misdeeds.ts'
import { entryOf, impatient, serviceWith } from './service-with.ts'

/** A provider of the user's whose functions work, but for what is given. */
function providerWith(own: Partial<Provider>): Target {
  const provider: Provider = {
    name: 'own',
    encode: () => ({ method: 'POST', url: 'http://127.0.0.1:9/', headers: {}, body: '{}' }),
    decode: async (response, { input }) => {
      const content = await response.text()
      return input.stream === true
        ? { kind: 'stream', chunks: chunksOf(content) }
        : { kind: 'completion', completion: { choices: [{ index: 0, message: { content } }] } }
    },
    ...own,
  }
  return { provider, model: 'm' }
}

async function* chunksOf(content: string) {
  yield [{ choices: [{ index: 0, delta: { content }, finish_reason: 'stop' as const }] }]
}

async function* bytes() {
  yield new TextEncoder().encode('a')
}

/** A transport that answers well. */
const inProcess: Transport = async () => ({ status: 200, headers: new Headers(), body: bytes() })

const image = { type: 'image_url', image_url: { url: 'https://images.test/a.png' } }
const imageMessages = [{ role: 'user', content: [image] }]

/** What stands between the gateway and its vendors and is the user's: each has to fail, and only its own request. */
const functions: Readonly<
  Record<string, (run: () => never, url: string) => { target: Target; fields?: object }>
> = {
  encode: run => ({ target: providerWith({ encode: run }) }),
  decode: run => ({ target: providerWith({ decode: run, transport: inProcess }) }),
  transport: run => ({ target: providerWith({ transport: run }) }),
  'the chunks of decode': run => ({
    target: providerWith({ decode: () => ({ kind: 'stream', chunks: iterable(run) }), transport: inProcess }),
  }),
  'the completion of decode': run => ({
    target: providerWith({ decode: () => ({ kind: 'completion', completion: run() }), transport: inProcess }),
  }),
  tokenProvider: (run, baseURL) => ({
    target: vertex({ project: 'p', location: 'global', tokenProvider: run, baseURL })('gemini-2.5-flash'),
  }),
  credentials: (run, baseURL) => ({
    target: bedrock({ region: 'us-east-1', credentials: run, baseURL })('us.amazon.nova-lite-v1:0'),
  }),
  fetchImage: (run, baseURL) => ({
    target: bedrock({ region: 'us-east-1', bearerToken: 'k', fetchImage: run, baseURL })(
      'us.amazon.nova-lite-v1:0',
    ),
    fields: { messages: imageMessages },
  }),
}

function iterable(run: () => never): AsyncIterable<never> {
  return { [Symbol.asyncIterator]: () => ({ next: run }) }
}

const rows = Object.entries(misdeeds)

/** What providers and transports of the user's do wrong. */
export function describeUpstreamFunctions(mount: Mount): void {
  describe.each(Object.entries(functions))('%s', (name, make) => {
    // Any text may be a token.
    const all = name === 'tokenProvider' ? rows.filter(([deed]) => deed !== 'gives a string') : rows
    it.each(all)('%s: the caller gets an error, and one record is made', async (_, run) => {
      for (const stream of [false, true]) {
        const own = await serviceWith(mount, {})
        const { target, fields = {} } = make(run, own.upstream.url)
        const { site, ends, settled } = await serviceWith(mount, {
          route: () => [target],
          timeouts: impatient,
        })
        const { status, body, received } = await site.chat({ ...fields, stream })
        expect(Buffer.from(received).toString()).not.toContain(ownWords)
        if (status === 200) {
          // The head of a stream may have been sent before what was to be its text turned out to be none.
          expect(stream, name).toBe(true)
          expect(body).toContain('{"error":{')
          expect(body).not.toContain('[DONE]')
        } else expect([400, 500, 502, 504]).toContain(status)
        expect((await ends.first()).outcome).not.toBe('completed')
        expect(settled).toHaveLength(1)
        expect(ends.all).toHaveLength(1)
        expect(own.upstream.requests).toHaveLength(0)
      }
    })
  })

  // One that hangs waits for something outside, such as a token: without that its target answers nobody.
  const instant = rows.filter(([deed]) => deed !== 'hangs')
  it.each(instant)('an encode that %s closes its target for nobody else', async (_, run) => {
    const own = await serviceWith(mount, {})
    const { provider, model } = entryOf(own.upstream)
    let spoilt = true
    const encode: Provider['encode'] = call => (spoilt ? run() : provider.encode(call))
    const target = { provider: { ...provider, encode }, model }
    const { site } = await serviceWith(mount, { route: () => [target], breaker: { failures: 1 } })
    expect((await site.chat()).status).toBe(500)
    spoilt = false
    expect((await site.chat()).status).toBe(200)
  })

  it('a target that fails by itself leaves the next one to answer', async () => {
    const own = await serviceWith(mount, {})
    const broken = providerWith({
      encode: () => {
        throw new UpstreamError('No token.', { kind: 'refused', status: 401 })
      },
    })
    const { site } = await serviceWith(mount, { route: () => [broken, entryOf(own.upstream)] })
    expect((await site.chat()).status).toBe(200)
  })
}
