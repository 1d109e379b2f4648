import { describe, expect, it } from 'vitest'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import {
  eventsOf,
  forever,
  scripted,
  serving,
  stop,
  stream,
  text,
  turn,
  whole,
} from '../support/scripted-gateway.ts'

const busy = () => Promise.reject(new UpstreamError('busy', { kind: 'refused', status: 503 }))

/** A caller that can leave. */
function leaving() {
  const left = new AbortController()
  return { signal: left.signal, leave: () => left.abort() }
}

describe('the record of a request', () => {
  it('tells how long it stood in queues', async () => {
    let first: (() => void) | undefined
    const held = new Promise<void>(resolve => {
      first = resolve
    })
    const { target } = scripted(
      async (_, index) => {
        if (index === 0) await held
        return whole('Hi.')
      },
      { maxConcurrent: 1 },
    )
    const { post, ends } = serving(target)
    const running = post({})
    await turn()
    const queued = post({})
    await turn()
    const since = performance.now()
    await turn()
    const waited = performance.now() - since
    first?.()
    await Promise.all([running, queued])
    const { timings } = ends()[1]!
    expect(timings.queue).toBeGreaterThanOrEqual(waited)
    expect(timings.queue).toBeLessThanOrEqual(timings.total)
  })

  it('counts the wait of a caller who left the queue, and no call', async () => {
    const { target, signals } = scripted(forever, { maxConcurrent: 1 })
    const { post, ends } = serving(target)
    const [running, queued] = [leaving(), leaving()]
    const answers = [post({}, { signal: running.signal }), post({}, { signal: queued.signal })]
    await turn()
    const since = performance.now()
    await turn()
    const waited = performance.now() - since
    queued.leave()
    await answers[1]
    const [record] = ends()
    expect(signals).toHaveLength(1)
    expect(record).toMatchObject({ outcome: 'client_disconnected', usage: undefined, usageEstimated: false })
    expect(record?.attempts).toMatchObject([{ called: false, error: { name: 'LifeEnded' } }])
    expect(record?.timings.queue).toBeGreaterThanOrEqual(waited)
    running.leave()
    await answers[0]
  })

  it.each([
    ['whole', {}],
    ['streamed', { stream: true }],
  ])('holds the attempt that a caller cut off, and estimates what it asked: %s', async (_, body) => {
    const { target } = scripted(forever)
    const { post, ends } = serving(target)
    const caller = leaving()
    const answer = post(body, { signal: caller.signal })
    await turn()
    caller.leave()
    await answer
    expect(ends()).toMatchObject([
      {
        outcome: 'client_disconnected',
        usage: { prompt_tokens: 2, completion_tokens: 4_096 },
        usageEstimated: true,
        attempts: [{ called: true, error: { name: 'LifeEnded' } }],
      },
    ])
  })

  it('tells of a stream that was asked for, also where it was refused', async () => {
    const { post, ends } = serving(scripted(busy).target)
    await post({ stream: true, temperature: 9 })
    await post({ stream: false, temperature: 9 })
    expect(ends()).toMatchObject([
      { outcome: 'refused', status: 400, stream: true },
      { outcome: 'refused', status: 400, stream: false },
    ])
  })

  it('estimates nothing for an upstream that refused', async () => {
    const { post, ends } = serving(scripted(busy).target)
    await post({})
    expect(ends()).toMatchObject([{ outcome: 'upstream_failed', usage: undefined, usageEstimated: false }])
  })

  it('holds every attempt in order, and what an answer broke off with', async () => {
    const broken = new UpstreamError('cut', { kind: 'truncated' })
    const targets = [scripted(busy).target, scripted(() => stream([text('Hello')], broken)).target]
    const { post, ends } = serving(targets)
    const events = eventsOf(await (await post({ stream: true })).text())
    expect(events.at(-1)).toMatchObject({ error: { code: 'bad_gateway' } })
    const [record] = ends()
    expect(record?.attempts).toMatchObject([
      { called: true, error: { status: 503 } },
      { called: true, error: { kind: 'truncated' } },
    ])
    expect(record).toMatchObject({ outcome: 'upstream_failed', usageEstimated: true })
  })

  it('says of an attempt that answered that nothing went wrong', async () => {
    const { post, ends } = serving(scripted(() => stream([text('Hello'), stop])).target)
    await (await post({ stream: true })).text()
    expect(ends()[0]?.attempts).toMatchObject([{ called: true, error: undefined }])
  })

  it('is whole when it is told, and does not change after', async () => {
    const { target } = scripted(forever)
    const seen: string[] = []
    const { post } = serving(target, { observe: event => seen.push(JSON.stringify(event)) })
    const caller = leaving()
    const answer = post({ stream: true }, { signal: caller.signal })
    await turn()
    caller.leave()
    await answer
    await turn()
    expect(seen.map(event => JSON.parse(event).type)).toEqual(['begin', 'end'])
    expect(JSON.parse(seen[1]!).attempts).toMatchObject([{ provider: 'scripted', called: true }])
  })
})
