import { chunks, connectRawClient, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { chatBytes } from './harness/crowd.ts'
import { nginxBefore, nginxPath } from './harness/nginx.ts'
import { overHosts } from './harness/servers.ts'
import { type Service, startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const events = sse(chunks({ text: 'one two three' }))
/** Where nginx is not installed there is nothing to try it on. */
const missing = nginxPath === undefined

describe('F34 a real nginx in front, which buffers by default', () => {
  overHosts(mount => {
    it.skipIf(missing)('passes on each event when it comes', async () => {
      // The upstream says nothing after its second event: what is held back never comes.
      const upstream = await upstreamDuring([steps.stream(events.slice(0, 2)), steps.hang()])
      const service = await startService(mount, { models: { m: upstream } })
      const client = await askedBy(await nginxBefore(service.site.port), service)
      await client.waitFor('"one"')
      // Who leaves nginx has left the upstream.
      client.reset()
      await upstream.waitForClose()
      expect(await service.end()).toMatchObject({ outcome: 'client_disconnected', status: 200 })
    })
  })

  overHosts(mount => {
    it.skipIf(missing)('passes on comments and the end, each once', async () => {
      const upstream = await upstreamDuring([
        steps.stream(events.slice(0, 2)),
        steps.wait(120),
        steps.stream(events.slice(2)),
      ])
      const service = await startService(mount, { models: { m: upstream }, stream: { keepAliveMs: 30 } })
      const client = await askedBy(await nginxBefore(service.site.port), service)
      const answer = await client.response()
      expect(answer?.headers['content-type']).toMatch(/^text\/event-stream/)
      const { text, done, comments } = await readSse(answer?.bytes ?? '')
      expect([text, done]).toEqual(['one two three', true])
      expect(comments.length).toBeGreaterThan(0)
      expect(await service.end()).toMatchObject({ outcome: 'completed' })
    })
  })
})

/** A client that has asked for a stream by another port than the service's own. */
async function askedBy(port: number, { site }: Service) {
  const client = await connectRawClient({ port })
  onTestFinished(() => client.close())
  await client.send(chatBytes(site, { model: 'm', stream: true }))
  return client
}
