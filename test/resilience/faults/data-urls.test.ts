import { describe, expect, it } from 'vitest'
import { targets } from './harness/protocol-targets.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const image = (url: string) => [{ type: 'image_url', image_url: { url } }]
const file = (data: string, filename = 'a.pdf') => [{ type: 'file', file: { file_data: data, filename } }]
const asking = (content: readonly object[]) => ({ messages: [{ role: 'user', content }] })
const byData = ['anthropic', 'gemini', 'bedrock'] as const

/** What is no image that a vendor takes, whatever it says of itself. */
const wrong: readonly (readonly [name: string, url: string])[] = [
  ['a vector image, which may hold scripts', 'data:image/svg+xml;base64,PHN2Zy8+'],
  ['a page', 'data:text/html;base64,PHA+'],
  ['nothing that is named', 'data:;base64,AAAA'],
  ['a data URL in another', 'data:data:image/png;base64,AAAA'],
  ['a type with the name of another', 'data:image/png2;base64,AAAA'],
  ['a prototype', 'data:constructor;base64,AAAA'],
  ['no data', 'data:image/png;base64'],
  ['a type without end', `data:${'a'.repeat(1_000_000)};base64,AAAA`],
  ['parameters without end', `data:image/png${';a=b'.repeat(1_000_000)};base64,AAAA`],
  ['semicolons without end', `data:image/png${';'.repeat(5_000_000)}base64,AAAA`],
]

describe('F47 data URLs: bombs, wrong types, types without end', () => {
  overServers(mount => {
    it('no more data gets in than a body may hold', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, {
        models: { local: upstream },
        requestLimits: { maxBytes: 1_000_000 },
      })
      const answer = await site.chat(asking(image(`data:image/png;base64,${'A'.repeat(1_000_000)}`)))
      expectRefusal(answer, 413, { code: null })
      expect(upstream.connections.total).toBe(0)
    })

    it('is not decoded where the vendor reads it by itself', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      for (const url of [...wrong.slice(0, 6).map(([, url]) => url), 'data:image/png;base64,%%%not base64']) {
        const fields = asking(image(url))
        expect((await site.chat(fields)).status).toBe(200)
        expect(upstream.requests.at(-1)?.json).toMatchObject(fields)
      }
    })

    it.each(byData)('%s gets images of the types that it takes, and no others', async name => {
      const vendor = targets[name]
      const upstream = await upstreamDuring(vendor.answer)
      const { site } = await startService(mount, { models: { local: vendor.at(upstream.url) } })
      for (const [what, url] of wrong) {
        const start = performance.now()
        const answer = await site.chat(asking(image(url)))
        expect([what, answer.status]).toEqual([what, 400])
        expectRefusal(answer, 400, { param: 'messages[0].content[0].image_url.url' })
        expect(performance.now() - start).toBeLessThan(5_000)
      }
      expect(upstream.connections.total).toBe(0)
      expect((await site.chat(asking(image('DATA:Image/PNG;charset=x;BASE64,AAAA')))).status).toBe(200)
      expect(upstream.requests[0]?.body).toContain('"AAAA"')
    })

    it.each(byData)('%s gets files of the types that it takes, and no others', async name => {
      const vendor = targets[name]
      const upstream = await upstreamDuring(vendor.answer)
      const { site } = await startService(mount, { models: { local: vendor.at(upstream.url) } })
      const refused = [
        file('data:application/x-msdownload;base64,TVo='),
        file(`data:application/pdf${';'.repeat(5_000_000)},x`),
        file('not base64 at all'),
        file(`${'A'.repeat(5_000_000)}!`),
        file('http://127.0.0.1/a.pdf'),
        file('AAAA', 'a.constructor'),
      ]
      for (const content of refused) expectRefusal(await site.chat(asking(content)), 400)
      expect(upstream.connections.total).toBe(0)
    })

    it('large images that are sound go through whole', async () => {
      const upstream = await upstreamDuring(targets.gemini.answer)
      const { site } = await startService(mount, {
        models: { local: targets.gemini.at(upstream.url) },
      })
      const data = 'AAAA'.repeat(2_000_000)
      expect((await site.chat(asking(image(`data:image/png;base64,${data}`)))).status).toBe(200)
      expect(upstream.requests[0]?.body.includes(data)).toBe(true)
    })
  })
})
