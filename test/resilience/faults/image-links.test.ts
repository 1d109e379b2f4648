import { imageFetcher } from '@sluice/node'
import type { ImageFetcher } from '@sluice/providers'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type FetchDependencies,
  guardedFetch,
} from '../../../packages/node/src/image-fetcher/guarded-fetch.ts'
import { hostRule } from '../../../packages/node/src/image-fetcher/host-rules.ts'
import { isPublicAddress } from '../../../packages/node/src/image-fetcher/public-address.ts'
import { imageHost, sendImage } from '../../../packages/providers/test/vendors/images/image-host.ts'
import { targets } from './harness/protocol-targets.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** Hosts of this machine, its network and its cloud, however they are spelt. */
const inside = [
  ...['127.0.0.1', '127.1', '0x7f000001', '2130706433', '0177.0.0.1', '127.0.0.1.', '0', '0.0.0.0'],
  ...['[::1]', '[::]', '[::ffff:7f00:1]', '[::ffff:127.0.0.1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...['[64:ff9b:1::7f00:1]', '[2002:7f00:1::1]', '[2001:0:7f00:1::]', '[fec0::1]', '[fe80::1]', '[fd00::1]'],
  ...['１２７.０.０.１', '127。0。0。1', '%31%32%37.0.0.1'],
  ...[
    '169.254.169.254',
    '100.64.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '168.63.129.16',
    '[fd00:ec2::254]',
  ],
]
const odd = [
  'file:///etc/passwd',
  'ftp://a.example/a.png',
  'gopher://127.0.0.1:70/_x',
  'javascript:alert(1)',
  '//a/b',
]

const showing = (url: string) => ({
  messages: [
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url } },
        { type: 'text', text: 'x' },
      ],
    },
  ],
})
const path = 'messages[0].content[0].image_url.url'

/** A host of images that must see nobody, until the test ends. */
async function hostDuring(answer: Parameters<typeof imageHost>[0] = (_, response) => sendImage(response)) {
  const host = await imageHost(answer)
  onTestFinished(() => host.close())
  return host
}

const here: FetchDependencies['isPublic'] = address => address === '127.0.0.1'

/** A fetcher for a world in which this machine is the only public address, and names mean what the test says. */
function fetcherOf(
  port: number,
  ca: string,
  lookup: FetchDependencies['lookup'],
  isPublic = here,
): ImageFetcher {
  const guards = { hosts: [hostRule(`*:${port}`)], maxBytes: 10_000, timeoutMs: 5_000 }
  return (url, signal) => guardedFetch(url, signal, guards, { lookup, isPublic, ca })
}

describe('F46 image links to the inside of a network', () => {
  overServers(mount => {
    it('are never fetched: vendors that fetch by themselves get them as they are', async () => {
      const upstream = await upstreamDuring()
      const host = await hostDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      for (const name of inside) {
        const fields = showing(`http://${name}:${host.port}/a.png`)
        expect((await site.chat(fields)).status).toBe(200)
        expect(upstream.requests.at(-1)?.json).toMatchObject(fields)
      }
      expect(host.connections).toHaveLength(0)
    })

    it.each(['gemini', 'bedrock'] as const)('%s takes bytes only: 400, and nobody is asked', async vendor => {
      const upstream = await upstreamDuring(targets[vendor].answer)
      const host = await hostDuring()
      const { site } = await startService(mount, { models: { local: targets[vendor].at(upstream.url) } })
      for (const name of [...inside, 'images.example.com']) {
        const answer = await site.chat(showing(`https://${name}:${host.port}/a.png`))
        expectRefusal(answer, 400, { code: 'unsupported_value', param: path })
      }
      expect([host.connections.length, upstream.connections.total]).toEqual([0, 0])
    })

    it('other schemes are no links at all', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { local: upstream } })
      for (const url of odd) {
        expectRefusal(await site.chat(showing(url)), 400, { code: 'invalid_value', param: path })
      }
      expect(upstream.connections.total).toBe(0)
    })

    it('a fetcher that may ask every host asks none of these, nor a name that means one', async () => {
      const upstream = await upstreamDuring(targets.gemini.answer)
      const host = await hostDuring()
      const guarded = imageFetcher({ hosts: [`*:${host.port}`] })
      const asked: string[] = []
      const named = fetcherOf(
        host.port,
        host.ca,
        async name => {
          asked.push(name)
          return name === 'both.example' ? ['8.8.8.8', '127.0.0.1'] : ['127.0.0.1']
        },
        isPublicAddress,
      )
      const service = (fetchImage: ImageFetcher) =>
        startService(mount, { models: { local: targets.gemini.at(upstream.url, fetchImage) } })
      const byAddress = await service(guarded)
      for (const name of inside) {
        const answer = await byAddress.site.chat(showing(`https://${name}:${host.port}/a.png`))
        expectRefusal(answer, 400, { code: 'invalid_image_url', param: path })
      }
      const byName = await service(named)
      for (const name of ['localhost.', 'metadata.internal', 'both.example']) {
        const answer = await byName.site.chat(showing(`https://${name}:${host.port}/a.png`))
        expectRefusal(answer, 400, { code: 'invalid_image_url', param: path })
      }
      expect(asked).toEqual(['localhost', 'metadata.internal', 'both.example'])
      expect([host.connections.length, upstream.connections.total]).toEqual([0, 0])
    })

    it('a name is looked up once: what it means a moment later is not asked', async () => {
      const upstream = await upstreamDuring(targets.gemini.answer)
      const host = await hostDuring()
      let lookups = 0
      const fetchImage = fetcherOf(host.port, host.ca, async () =>
        lookups++ === 0 ? ['127.0.0.1'] : ['169.254.169.254'],
      )
      const { site } = await startService(mount, {
        models: { local: targets.gemini.at(upstream.url, fetchImage) },
      })
      const link = `https://images.example.com:${host.port}/a.png`
      expect((await site.chat(showing(link))).status).toBe(200)
      expect([lookups, host.connections.length]).toEqual([1, 1])
      expectRefusal(await site.chat(showing(link)), 400, { code: 'invalid_image_url' })
      expect([lookups, host.connections.length, upstream.requests.length]).toEqual([2, 1, 1])
    })

    it.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed', async status => {
      const upstream = await upstreamDuring(targets.gemini.answer)
      const victim = await upstreamDuring()
      const host = await hostDuring((_, response) => {
        response.writeHead(status, { location: `${victim.url}/latest/meta-data` }).end()
      })
      const fetchImage = fetcherOf(host.port, host.ca, async () => ['127.0.0.1'])
      const { site, end } = await startService(mount, {
        models: { local: targets.gemini.at(upstream.url, fetchImage) },
      })
      const answer = await site.chat(showing(`https://images.example.com:${host.port}/a.png`))
      expectRefusal(answer, 400, { code: 'invalid_image_url', param: path })
      expect(answer.body).not.toContain('meta-data')
      expect([host.connections.length, victim.connections.total, upstream.connections.total]).toEqual([
        1, 0, 0,
      ])
      expect(await end()).toMatchObject({ outcome: 'refused', attempts: [{ called: false }] })
    })
  })
})
