import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { RequestRow } from '../../../../packages/console/src/api.ts'
import { liveFeed } from '../../../../packages/console/ui/requests/live-feed.ts'
import { ApiError } from '../../../../packages/console/ui/server/api-error.ts'
import type { ConsoleApi } from '../../../../packages/console/ui/server/console-api.ts'

const rowOf = (id: string, at: number, outcome: RequestRow['outcome'] = 'running') =>
  ({ id, at, outcome }) as RequestRow

/** A server of the feed: what it says of `/requests`, and its connections, each of which can be written to and ended. */
function startFeed() {
  const server = {
    rows: [] as readonly RequestRow[],
    down: false,
    /** When somebody tried to listen. */
    tries: [] as number[],
    held: undefined as Promise<void> | undefined,
    tell: (_row: RequestRow): void => {},
    end: (): void => {},
  }
  const text = new TextEncoder()
  const api = {
    requests: async () => {
      const { rows } = server
      await server.held
      return rows
    },
    live: async (signal: AbortSignal) => {
      server.tries.push(Date.now())
      if (server.down) throw new ApiError('The gateway does not answer.', 0)
      const body = new ReadableStream<Uint8Array>({
        start: controller => {
          server.tell = row =>
            controller.enqueue(text.encode(`event: request\ndata: ${JSON.stringify(row)}\n\n`))
          server.end = () => controller.close()
          signal.addEventListener('abort', () => controller.error(new Error('aborted')))
        },
      })
      return new Response(body)
    },
  } as Partial<ConsoleApi> as ConsoleApi
  const feed = liveFeed(api)
  onTestFinished(() => feed.close())
  const shown = () => feed.state.get().rows?.map(({ id, outcome }) => `${id} ${outcome}`)
  return { server, feed, shown }
}

describe('liveFeed', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  it('shows what is told, also what overtakes the answer', async () => {
    const { server, shown } = startFeed()
    server.rows = [rowOf('b', 2), rowOf('a', 1)]
    let go: () => void = () => {}
    server.held = new Promise(resolve => {
      go = resolve
    })
    await pass(1)
    server.tell(rowOf('a', 1, 'completed'))
    server.tell(rowOf('c', 2))
    await pass(1)
    go()
    await pass(1)
    expect(shown()).toEqual(['b running', 'c running', 'a completed'])
    server.tell(rowOf('c', 2, 'completed'))
    await pass(200)
    expect(shown()).toEqual(['b running', 'c completed', 'a completed'])
  })

  it('tries again, less and less often, and forgets what a new process does not know', async () => {
    const { server, feed, shown } = startFeed()
    server.rows = [rowOf('a', 1)]
    await pass(1)
    expect(feed.state.get().connection).toBe('live')
    expect(shown()).toEqual(['a running'])

    Object.assign(server, { down: true, rows: [] })
    server.end()
    await pass(60_000)
    expect(feed.state.get().connection).toBe('lost')
    const waits = server.tries.slice(1).map((at, index) => at - server.tries[index]!)
    expect(waits.slice(1, 5)).toEqual([2000, 4000, 8000, 10_000])
    expect(waits.slice(5).every(wait => wait === 10_000)).toBe(true)

    server.down = false
    await pass(10_000)
    expect(feed.state.get().connection).toBe('live')
    // Else it would be shown as running for ever.
    expect(shown()).toEqual([])
  })

  it('takes silence for a lost connection', async () => {
    const { server, feed } = startFeed()
    await pass(39_000)
    expect(server.tries).toHaveLength(1)
    await pass(3000)
    expect(server.tries).toHaveLength(2)
    expect(feed.state.get().connection).toBe('live')
  })

  it('holds no more rows than it shows where timers stand still, as in a hidden tab', async () => {
    const { server, feed } = startFeed()
    await pass(1)
    for (let n = 0; n < 1200; n++) server.tell(rowOf(`r${n}`, n))
    // The promises run, and no timer.
    await pass(0)
    expect(feed.state.get().rows).toHaveLength(500)
    expect(feed.state.get().rows?.[0]?.id).toBe('r999')
    await pass(200)
    expect(feed.state.get().rows?.[0]?.id).toBe('r1199')
  })

  it('is closed for good', async () => {
    const { server, feed } = startFeed()
    await pass(1)
    feed.close()
    await pass(60_000)
    expect(server.tries).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
