import { toNodeListener } from '@sluice/node'
import { chunks, completion, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { mounted } from '../../e2e/mounts/mounts.ts'
import { asking, chatBytes } from './harness/crowd.ts'
import { watchLeftovers } from './harness/leftovers.ts'
import { overHosts } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const said = (text: string) => sse(chunks({ text }))
const begun = said('one two three').slice(0, 4)

describe('F97 the next request comes on the connection of a stream that still runs', () => {
  overHosts(mount => {
    it('answers in order, each with its own answer and record', async () => {
      const upstream = await upstreamDuring(({ json }) =>
        json?.user === 'first'
          ? steps.stream(said('the first one'), { delay: 30 })
          : steps.stream(said(`answer to ${json?.user}`)),
      )
      const { site, end, ends } = await startService(mount, { models: { m: upstream } })
      const users = ['first', 'second', 'third']
      const client = await asking(site, { model: 'm', stream: true, user: 'first' })
      for (const user of users.slice(1))
        await client.send(chatBytes(site, { model: 'm', stream: true, user }))
      const texts: string[] = []
      for (const _ of users) texts.push((await readSse((await client.response())?.bytes ?? '')).text)
      expect(texts).toEqual(['the first one', 'answer to second', 'answer to third'])
      await end(3)
      expect(ends.map(({ outcome }) => outcome)).toEqual(['completed', 'completed', 'completed'])
    })

    it('does not end one for the end of another', async () => {
      const broken = steps.stream(begun)
      const upstream = await upstreamDuring(({ json }) =>
        json?.user === 'first' ? [broken, steps.wait(50)] : steps.stream(said('sound')),
      )
      const { site, end, ends } = await startService(mount, { models: { m: upstream } })
      const client = await asking(site, { model: 'm', stream: true, user: 'first' })
      await client.send(chatBytes(site, { model: 'm', stream: true, user: 'second' }))
      const first = await readSse((await client.response())?.bytes ?? '')
      expect(first.done).toBe(false)
      expect(first.chunks.at(-1)).toHaveProperty('error')
      expect(await readSse((await client.response())?.bytes ?? '')).toMatchObject({
        done: true,
        text: 'sound',
      })
      await end(2)
      expect(ends.map(({ outcome }) => outcome).sort()).toEqual(['completed', 'upstream_failed'])
    })

    it.each([true, false])(
      'closes the calls of all when the connection closes, stream: %s',
      async isStream => {
        const upstream = await upstreamDuring(({ json }) =>
          json?.stream === true ? [steps.stream(begun), steps.hang()] : steps.hang(),
        )
        const { site, end, ends } = await startService(mount, { models: { m: upstream } })
        const left = watchLeftovers()
        const client = await asking(site, { model: 'm', stream: true })
        // More than the ten listeners of which Node warns.
        const behind = 14
        for (let n = 0; n < behind; n++) await client.send(chatBytes(site, { model: 'm', stream: isStream }))
        await upstream.waitForRequest(behind + 1)
        await client.waitFor('two')
        client.reset()
        await upstream.waitForIdle()
        await end(behind + 1)
        expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['client_disconnected']))
        await left.expectNone()
      },
    )
  })

  it('does not cut off an answer because the one before it takes long', async () => {
    const text = 'word '.repeat(20_000)
    const upstream = await upstreamDuring(({ json }) =>
      json?.stream !== true
        ? steps.reply(completion({ text }))
        : json.user === 'first'
          ? steps.stream(said('one two three four five'), { delay: 150 })
          : steps.stream(said(text)),
    )
    const impatient = toNodeListenerOf(100)
    const { site, end, ends } = await startService(impatient, { models: { m: upstream } })
    const client = await asking(site, { model: 'm', stream: true, user: 'first' })
    await client.send(chatBytes(site, { model: 'm', stream: true, user: 'second' }))
    await client.send(chatBytes(site, { model: 'm' }))
    expect(await readSse((await client.response())?.bytes ?? '')).toMatchObject({ done: true })
    expect(await readSse((await client.response())?.bytes ?? '')).toMatchObject({ done: true, text })
    expect(await client.response()).toMatchObject({ status: 200, complete: true })
    await end(3)
    expect(ends.every(({ outcome }) => outcome === 'completed')).toBe(true)
  })
})

/** A server that cuts off a client who reads nothing for so long. */
function toNodeListenerOf(writeStallMs: number): Parameters<typeof startService>[0] {
  return gateway => mounted(toNodeListener(gateway, { writeStallMs }))
}
