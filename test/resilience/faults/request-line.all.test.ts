import { apiKeys } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import type { Site } from '../../e2e/conformance/site.ts'
import { connected } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overAllMounts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] })
const key = 'Authorization: Bearer good-key'

/** A request for a completion with this target and these header lines. */
function ask(site: Site, target: string, ...lines: string[]) {
  const fixed = ['Content-Type: application/json', `Content-Length: ${body.length}`]
  return send(site, `POST ${target} HTTP/1.1\r\n${[...lines, ...fixed].join('\r\n')}\r\n\r\n${body}`)
}

async function send(site: Site, text: string) {
  const client = await connected(site, text)
  const answer = await client.response()
  if (answer === undefined) throw new Error('The connection ended before an answer.')
  await client.close()
  return { ...answer, received: client.received }
}

/** Targets around the path of the gateway (`{}`), and what each is answered with a good key. */
const targets: readonly (readonly [target: string, status: number])[] = [
  ['{}/chat/completions', 200],
  ['{}/chat/completions?host=evil.example', 200],
  ['{}//chat/completions', 200],
  ['http://evil.example{}/chat/completions', 200],
  ['HTTPS://user@evil.example:1{}/chat/completions', 200],
  ['{}/chat/completions%00', 404],
  ['{}/%00', 404],
  ['{}/chat%2fcompletions', 404],
  ['{}/%63hat/completions', 404],
  ['{}/CHAT/completions', 404],
  ['{}/chat//completions', 404],
  ['{}/chat/completions;x=1', 404],
  ['{}/chat/completions/..;/models', 404],
  ['{}/./chat/completions', 400],
  ['{}/x/../chat/completions', 400],
  ['{}/../v1/chat/completions', 400],
  ['{}/%2e%2E/v1/chat/completions', 400],
  ['{}/chat/completions/..', 400],
  ['{}/chat\\completions', 400],
  ['{}/chat/completions#b', 400],
  ['{}/chat/completions?a#b', 400],
]

/** Targets that are not the gateway's: refused, by it or by the host that it is mounted in. */
const elsewhere = [
  '//evil.example{}/chat/completions',
  '/\\evil.example{}/chat/completions',
  '/x/..{}/chat/completions',
  '/%2e{}/chat/completions',
  '/x{}/chat/completions',
  '{}\\chat\\completions',
  'ftp://evil.example{}/chat/completions',
  'http://evil.example',
  '*',
]

const hosts = [
  'a/b',
  'a b',
  'a@b',
  'a\\b',
  'a?b',
  'a#b',
  'a,b',
  'a:99999',
  '[::1',
  '%00',
  '\xe4',
  '',
  '/v1/models?',
]

describe('F7 a hostile Host or request target', () => {
  overAllMounts(mount => {
    it('decides nothing: the path alone says what is asked, and the key who asks', async () => {
      const upstream = await upstreamDuring()
      const seen: string[] = []
      const known = apiKeys([{ id: 'ann', key: 'good-key' }])
      const { site } = await startService(mount, {
        models: { m: upstream },
        authenticate: (request, host) => {
          seen.push(request.url)
          return known(request, host)
        },
      })
      const path = site.pathOf('')
      for (const [target, status] of targets) {
        const place = target.replace('{}', path)
        const answer = await ask(site, place, 'Host: here.example', key)
        expect([target, answer.status]).toEqual([target, status])
        if (status !== 200) expectRefusal(answer, status, { code: null })
        const stranger = await ask(site, place, 'Host: here.example')
        expect([target, stranger.status]).toEqual([target, status === 200 ? 401 : status])
      }
      expect(seen.filter(url => !url.startsWith(`http://here.example${path}/`))).toEqual([])
      const good = targets.filter(([, status]) => status === 200).length
      expect(seen).toHaveLength(2 * good)
      expect(upstream.requests.map(request => request.path)).toEqual(
        Array.from({ length: good }, () => '/v1/chat/completions'),
      )
      expect(upstream.requests[0]?.headers.host).toBe(`127.0.0.1:${upstream.port}`)
    })

    it('reaches nothing of the gateway by a path that is not its own', async () => {
      const upstream = await upstreamDuring()
      const { site, events } = await startService(mount, { models: { m: upstream } })
      for (const target of elsewhere) {
        const { status } = await ask(site, target.replace('{}', site.pathOf('')), 'Host: a', key)
        expect([target, status]).toEqual([target, status === 400 ? 400 : 404])
      }
      expect([events.length, upstream.requests.length]).toEqual([0, 0])
    })

    it('is a 400 for a Host that is none, and for more than one, with any key', async () => {
      const upstream = await upstreamDuring()
      const { site, events } = await startService(mount, { models: { m: upstream } })
      const path = site.pathOf('/chat/completions')
      for (const host of hosts) {
        expectRefusal(await ask(site, path, `Host: ${host}`, key), 400, {
          code: null,
          message: /^The Host header/,
        })
      }
      for (const second of ['evil.example', 'a']) {
        const answer = await ask(site, path, 'Host: a', key, `hOST: ${second}`)
        expectRefusal(answer, 400, { message: 'The request has more than one Host header.' })
      }
      expect([events.length, upstream.requests.length]).toEqual([0, 0])
    })

    it('asks for the key whatever name the Host says', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      for (const host of ['localhost', '127.0.0.1', 'evil.example', 'health', '[::1]', 'v1.models']) {
        const forwarded = [
          'X-Forwarded-Host: localhost',
          'X-Original-URL: /health',
          'X-Rewrite-URL: /v1/models',
        ]
        const answer = await ask(site, site.pathOf('/chat/completions'), `Host: ${host}`, ...forwarded)
        expectRefusal(answer, 401)
        expect(answer.body).not.toContain(host)
      }
      expect(upstream.requests).toHaveLength(0)
    })
  })
})
