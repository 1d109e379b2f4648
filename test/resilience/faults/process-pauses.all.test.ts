import { chunks, completion, connectRawClient, readSse, requestBytes, sse, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { base, headersOf } from '../../e2e/conformance/site.ts'
import { startChild } from './harness/child-service.ts'
import { everyServer } from './harness/servers.ts'
import { upstreamDuring } from './harness/upstream.ts'

const pauseMs = 3_500
/** All of them shorter than the pause. */
const timeouts = { policyMs: 2_000, connectMs: 2_000, firstByteMs: 2_000, responseMs: 2_000, idleMs: 2_000 }
const pacing = { keepAliveMs: 2_000, holdMs: 2_000 }
const crowd = Array.from({ length: 15 }, (_, at) => at)
const events = sse(chunks({ text: 'one two three' }))

/** Stops the whole process, as a machine that sleeps does, and lets it go on. */
async function pause({ process }: Awaited<ReturnType<typeof startChild>>): Promise<void> {
  process.kill('SIGSTOP')
  await new Promise(resolve => setTimeout(resolve, pauseMs))
  process.kill('SIGCONT')
}

/** Upstreams that are in time, but for the last one. */
async function upstreams() {
  return {
    // Some of its events come during the pause, and some after it.
    slow: await upstreamDuring([
      steps.stream(events.slice(0, 2)),
      ...Array.from({ length: 12 }, () => [steps.wait(400), steps.stream([': wait\n\n'])]).flat(),
      steps.stream(events.slice(2)),
    ]),
    late: await upstreamDuring([steps.wait(700), steps.reply(completion())]),
    busy: await upstreamDuring([
      steps.wait(700),
      steps.reply({ error: { message: 'busy' } }, { status: 503 }),
    ]),
    opened: await upstreamDuring([
      steps.head(),
      steps.wait(700),
      steps.stream(sse([{ error: { type: 'overloaded_error', message: 'busy' } }], { done: false })),
    ]),
    next: await upstreamDuring(),
    silent: await upstreamDuring(steps.hang()),
  }
}

describe('F98 the process stands still for longer than its deadlines', () => {
  it.each(everyServer)('is no fault of upstreams and callers: %s', async mount => {
    const { slow, late, busy, opened, next, silent } = await upstreams()
    const service = await startChild({
      mount,
      timeouts,
      stream: pacing,
      // As many as the crowd may be under way.
      requestLimits: { deadlineMs: 2_000, maxUploads: crowd.length },
      routes: {
        slow: [slow.baseURL],
        late: [late.baseURL],
        busy: [busy.baseURL, next.baseURL],
        opened: [opened.baseURL, next.baseURL],
        silent: [silent.baseURL],
        quick: [next.baseURL],
      },
    })
    const { site, ends } = service
    const bytes = requestBytes({
      path: site.pathOf('/chat/completions'),
      headers: headersOf({}),
      body: { ...base, model: 'quick' },
    })
    const clients = await Promise.all(crowd.map(() => connectRawClient({ port: site.port })))
    onTestFinished(async () => void (await Promise.all(clients.map(client => client.close()))))
    const ask = (model: string, stream: boolean) => crowd.map(() => site.chat({ model, stream }))

    await Promise.all(clients.map(client => client.send(bytes.subarray(0, -10))))
    const streams = ask('slow', true)
    const answers = ask('late', false)
    const refused = [...ask('busy', true), ...ask('opened', true)]
    const given = site.chat({ model: 'silent' })
    await Promise.all([slow, late, busy, opened].map(upstream => upstream.waitForRequest(crowd.length)))
    await silent.waitForRequest()
    const paused = pause(service)
    await Promise.all(clients.map(client => client.send(bytes.subarray(-10))))
    await paused
    const awake = performance.now()

    for (const answered of await Promise.all(streams)) {
      const { done, text } = await readSse(answered.bytes)
      expect({ done, text }).toEqual({ done: true, text: 'one two three' })
    }
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
    for (const client of clients) expect((await client.response())?.status).toBe(200)
    // A refusal that came meanwhile is heard before the head of an answer is sent: the next target is asked.
    for (const answered of await Promise.all(refused)) expect((await readSse(answered.bytes)).done).toBe(true)
    expect(next.requests).toHaveLength(refused.length + clients.length)
    // The one that is truly silent is given up, and late only by the pause.
    expect((await given).status).toBe(504)
    // They are told by another process.
    await vi.waitFor(() => expect(ends).toHaveLength(5 * crowd.length + 1), 5_000)
    expect(ends.filter(({ outcome }) => outcome !== 'completed')).toMatchObject([{ status: 504 }])
    expect(performance.now() - awake).toBeLessThan(10_000)
  })

  it('is the total deadline of no answer that was whole meanwhile', async () => {
    const upstream = await upstreamDuring([steps.wait(500), steps.reply(completion())])
    const service = await startChild({
      mount: 'node http',
      timeouts: { ...timeouts, totalMs: 2_000 },
      routes: { m: [upstream.baseURL] },
    })
    const answers = crowd.map(() => service.site.chat({ model: 'm' }))
    await upstream.waitForRequest(crowd.length)
    await pause(service)
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200)
  })
})
