import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RoutedTarget } from '@sluice/core'
import type { Provider } from '@sluice/core/provider'
import { toNodeListener } from '@sluice/node'
import { type Misbehaviour, misbehaviours, type Script, seededRandom, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { startService } from '../faults/harness/service.ts'
import { targetAt } from '../faults/harness/target-at.ts'
import { upstreamDuring } from '../faults/harness/upstream.ts'

// P4: one request makes at most `maxAttempts` calls, over fallbacks, repeats and hedges, and none once its answer began.

const rounds = 8
const scripts: Readonly<Record<string, Script>> = {
  ...misbehaviours,
  // As they stand they go on for seconds.
  drip: [steps.head(), steps.drip('data: {"choices":[', 1), steps.cut()],
  flood: [steps.head(), steps.flood({ bytes: 200_000 }), steps.cut()],
  well: steps.answer(),
  slow: steps.answer({ text: 'a later one' }),
  busy: steps.reply({ error: { message: 'busy' } }, { status: 503 }),
  'asks for a moment': steps.reply(
    { error: { message: 'slow down' } },
    { status: 429, headers: { 'retry-after-ms': '20' } },
  ),
}
const names = Object.keys(scripts)

/** What happened, in order: a call begins, or the head of the answer is sent. */
type Happening = 'call' | 'head'

/** Node's own server, which says when an answer begins. */
function telling(happened: (it: Happening) => void): Mount {
  return gateway => {
    const listener = toNodeListener(gateway)
    const server = createServer((req, res) => {
      const { writeHead } = res
      res.writeHead = ((...args: Parameters<typeof writeHead>) => {
        happened('head')
        return writeHead.apply(res, args)
      }) as typeof writeHead
      listener(req, res)
    })
    return new Promise(resolve => {
      server.listen(0, '127.0.0.1', () => {
        const { port } = server.address() as AddressInfo
        const origin = `http://127.0.0.1:${port}`
        const close = async () => {
          server.closeAllConnections()
          await new Promise(closed => server.close(closed))
        }
        resolve({ origin, port, baseURL: `${origin}/v1`, close })
      })
    })
  }
}

/** One request to a service of one to four places, the first of which misbehaves in this way. */
async function ask(first: Misbehaviour, stream: boolean, seed: number) {
  const chance = seededRandom(seed)
  const any = (below: number) => Math.floor(chance() * below)
  const happened: Happening[] = []
  const maxAttempts = 1 + any(4)
  const chosen = [first, ...Array.from({ length: any(4) }, () => names[any(names.length)]!)]
  const upstreams = await Promise.all(chosen.map(name => upstreamDuring(scripts[name]!)))
  const places = upstreams.map((upstream): RoutedTarget => {
    const { provider, model } = targetAt(upstream)
    const encode: Provider['encode'] = call => {
      happened.push('call')
      return provider.encode(call)
    }
    return { provider: { ...provider, encode }, model, ...(any(2) === 0 && { hedgeAfterMs: any(40) }) }
  })
  const { site, end } = await startService(
    telling(it => happened.push(it)),
    {
      models: { m: places },
      timeouts: { firstByteMs: 90, responseMs: 90, idleMs: 90, totalMs: 1_500 },
      stream: { holdMs: 1 + any(60), keepAliveMs: 20 + any(200) },
      retry: { baseMs: 5, maxMs: 20 },
      breaker: any(2) === 0 ? {} : { failures: 1 + any(3) },
      maxAttempts,
    },
  )
  const answered = await site.chat({ model: 'm', stream })
  const record = await end()
  return {
    answered,
    record,
    happened,
    maxAttempts,
    what: JSON.stringify({ chosen, maxAttempts, stream, seed }),
    asked: upstreams.reduce((sum, { requests }) => sum + requests.length, 0),
  }
}

describe('P4 one request makes a bounded number of calls', () => {
  it.each(Object.keys(misbehaviours) as Misbehaviour[])(
    'none beyond maxAttempts, and none after the head: %s',
    async name => {
      const seeds = Array.from({ length: rounds }, (_, n) => names.indexOf(name) * 100 + n)
      const asked = seeds.flatMap(seed => [ask(name, false, seed), ask(name, true, seed)])
      for (const { answered, record, happened, maxAttempts, what, asked: heard } of await Promise.all(
        asked,
      )) {
        const called = record.attempts.filter(attempt => attempt.called).length
        expect(called, what).toBeGreaterThan(0)
        expect(heard, what).toBeLessThanOrEqual(called)
        expect(called, what).toBeLessThanOrEqual(maxAttempts)
        expect(happened.filter(it => it === 'head').length, what).toBe(1)
        expect(happened.at(-1), what).toBe('head')
        expect(record.attempts[0]?.why, what).toBe('first')
        // Whatever came of it, an answer that did not finish does not look finished.
        const finished = record.outcome === 'completed'
        expect([answered.complete, answered.status === 200 || !finished], what).toEqual([true, true])
        if (record.stream && answered.status === 200)
          expect(answered.body.includes('[DONE]'), what).toBe(finished)
      }
    },
  )
})
