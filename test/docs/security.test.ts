import { apiKeys, createGateway, type GatewayEvent, type GatewayOptions, models } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { type Script, startUpstream, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { readPage } from './runner/markdown.ts'

// What SECURITY.md promises and no other suite holds by name.

const secret = 'sk-canary-4f9a1c7e2b'

/** Asks a gateway in front of a scripted upstream, with a caller's headers of every kind. */
async function asked(
  script: Script,
  options: Partial<GatewayOptions> = {},
  content: unknown = 'the secret prompt',
) {
  const upstream = await startUpstream(script)
  const events: GatewayEvent[] = []
  const vendor = openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL, apiKey: 'sk-of-the-service' })
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'ann', key: secret }]),
    route: models({ demo: vendor('m') }),
    observe: event => events.push(event),
    ...options,
  })
  const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      cookie: 'session=canary',
      'x-forwarded-for': '10.0.0.1',
      'x-api-key': 'canary',
    },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content }] }),
  })
  const body = await response.text()
  await gateway.close()
  await upstream.close()
  return { upstream, events, response, body }
}

describe('SECURITY.md', () => {
  it('no header of the caller goes to the vendor', async () => {
    const { upstream } = await asked(steps.answer())
    const { headers } = upstream.requests[0]!
    expect(headers.authorization).toBe('Bearer sk-of-the-service')
    expect(JSON.stringify(headers)).not.toMatch(/canary|10\.0\.0\.1/)
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
    ])
  })

  it('no header of the vendor comes back', async () => {
    const { response } = await asked(
      steps.reply(
        { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] },
        {
          headers: { 'content-type': 'application/json', 'set-cookie': 'a=canary', 'x-vendor': 'canary' },
        },
      ),
    )
    expect(response.status).toBe(200)
    expect(JSON.stringify([...response.headers])).not.toContain('canary')
  })

  it('a redirect is refused', async () => {
    const elsewhere = await startUpstream(steps.answer())
    const { response } = await asked(steps.redirect(`${elsewhere.baseURL}/chat/completions`))
    expect(response.status).toBe(502)
    expect(elsewhere.requests).toHaveLength(0)
    await elsewhere.close()
  })

  it("the vendor's 401 is a 502, without its words", async () => {
    const { response, body } = await asked(
      steps.reply({ error: { message: 'Wrong key sk-of-the-service' } }, { status: 401 }),
    )
    expect(response.status).toBe(502)
    expect(response.headers.has('www-authenticate')).toBe(false)
    expect(body).not.toContain('sk-of')
  })

  it('a URL in a request is passed on, not fetched', async () => {
    const elsewhere = await startUpstream(steps.reply('an image'))
    const image = { type: 'image_url', image_url: { url: `${elsewhere.url}/a.png` } }
    const { upstream, response } = await asked(steps.answer(), {}, [image])
    expect(response.status).toBe(200)
    expect(upstream.requests[0]?.body).toContain(`${elsewhere.url}/a.png`)
    expect(elsewhere.requests).toHaveLength(0)
    await elsewhere.close()
  })

  it('the body of a stranger is not read', async () => {
    let read = false
    const gateway = createGateway({
      authenticate: apiKeys([{ id: 'ann', key: secret }]),
      route: models({ demo: openaiCompatible({ name: 'vendor', baseURL: 'http://127.0.0.1:9/v1' })('m') }),
    })
    const stream: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => {
        read = true
        throw new Error('read')
      },
    }
    const headers = { authorization: 'Bearer wrong', 'content-type': 'application/json' }
    const request = new Request('http://sluice.test/v1/chat/completions', { method: 'POST', headers })
    const refused = await gateway.fetch(request, { body: { kind: 'stream', stream } })
    expect(refused.status).toBe(401)
    expect(read).toBe(false)
    expect(await refused.text()).not.toContain('wrong')
  })

  it('events hold neither prompts nor answers nor keys', async () => {
    const { events } = await asked(steps.answer({ text: 'the secret answer' }))
    expect(events.map(({ type }) => type)).toEqual(['begin', 'end'])
    expect(JSON.stringify(events)).not.toMatch(/secret|canary|sk-of/)
  })
})

describe('the promises in SECURITY.md', () => {
  const page = readPage('SECURITY.md')
  const [held = '', later = ''] = page.split('\nNot promised yet')
  const promises = held.split(/^- \*\*(?=P\d)/m).slice(1)

  it('are all named, as held or as not promised yet', () => {
    const named = [...page.matchAll(/^- \*\*P(\d+)/gm)].map(([, number]) => Number(number))
    expect([...new Set(named)].sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1))
    expect([...later.matchAll(/^- \*\*(P\d+)/gm)].map(([, name]) => name)).toEqual(['P15'])
  })

  // That the files exist is tested with those of all pages.
  it.each(promises.map(text => [text.split(' ')[0], text]))(
    '%s names tests that test something',
    (_, text) => {
      const files = [...text.matchAll(/`((?:test|packages)\/[\w./-]+\.ts)`/g)].map(([, file = '']) => file)
      expect(files.length).toBeGreaterThan(0)
      for (const file of files)
        expect(readPage(file), file).toMatch(/\b(?:expect|ok|throw|deepStrictEqual)\b/)
    },
  )
})
