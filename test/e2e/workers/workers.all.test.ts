import { budget, concurrent, requests } from '@sluice/core'
import { Pool } from 'undici'
import { describe, expect, it, vi } from 'vitest'
import { buildProgram, startProgram, startVendor, startWorkers } from './service.ts'

const program = await buildProgram()
const patience = { timeout: 20_000, interval: 50 }

const statusesOf = (results: readonly { readonly status: number }[]) => {
  const counted: Record<number, number> = {}
  for (const { status } of results) counted[status] = (counted[status] ?? 0) + 1
  return counted
}

describe('serve() with workers', () => {
  it.each([2, 4])('admits exactly the limit over %i workers', async workers => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url, { workers, rules: [requests(50).per('hour')] })
    expect(await service.pids()).toHaveLength(workers)
    const results = await Promise.all(Array.from({ length: 120 }, () => service.chat()))
    expect(statusesOf(results)).toEqual({ 200: 50, 429: 70 })
    expect((await service.chat({ key: 'sk-bob' })).status).toBe(200)
  })

  it('spends exactly the budget over workers', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url, { rules: [budget(0.2, 'usd').per('day')] })
    const results = []
    for (let count = 0; count < 30; count++) results.push(await service.chat({ model: 'priced' }))
    expect(statusesOf(results)).toEqual({ 200: 20, 429: 10 })
    expect(vendor.received()).toBe(20)
  })

  it('releases what a killed worker holds, and starts it again', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url, { rules: [concurrent(4)] })
    // One after the other: of connections that come at once a worker may get three.
    const held = []
    for (let count = 0; count < 4; count++) held.push(await service.chat({ model: 'held', stream: true }))
    expect(statusesOf(held)).toEqual({ 200: 4 })
    expect((await service.chat()).status).toBe(429)
    const before = await service.pids()
    expect(before).toHaveLength(2)
    process.kill(before[0]!, 'SIGKILL')
    await service.process.until(/Worker \d ended by SIGKILL/)
    const ends = held.map(({ text }) =>
      text().then(
        () => 'complete',
        () => 'cut',
      ),
    )
    await vi.waitFor(() => expect(vendor.held.size).toBe(2), patience)
    await vi.waitFor(async () => expect((await service.chat()).status).toBe(200), patience)
    await vi.waitFor(async () => expect(await service.pids()).toHaveLength(2), patience)
    expect(await service.pids()).not.toContain(before[0])
    vendor.release()
    expect((await Promise.all(ends)).sort()).toEqual(['complete', 'complete', 'cut', 'cut'])
  })

  it('keeps maxConcurrent of a provider over workers', async () => {
    const vendor = await startVendor({ fastMs: 20 })
    const service = await startWorkers(program, vendor.url, { env: { MAX_CONCURRENT: '3' } })
    const results = await Promise.all(Array.from({ length: 40 }, () => service.chat()))
    expect(statusesOf(results)).toEqual({ 200: 40 })
    expect(vendor.most()).toBe(3)
  })

  it('executes one request per idempotency key, whichever workers get it', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url)
    for (const key of ['sk-ann', 'sk-bob']) {
      const ask = async () => {
        const result = await service.chat({ key, headers: { 'idempotency-key': 'once' } })
        await result.text()
        return result.status
      }
      // A request that arrives while the first one runs gets a 409.
      const statuses = await Promise.all(Array.from({ length: 8 }, ask))
      expect(statuses.filter(status => status !== 409)).toContain(200)
      expect(statuses.filter(status => status !== 409 && status !== 200)).toEqual([])
      for (let count = 0; count < 8; count++) {
        await vi.waitFor(async () => expect(await ask()).toBe(200), patience)
      }
    }
    expect(vendor.received()).toBe(2)
  })

  it('shares cached responses', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url)
    for (let count = 0; count < 8; count++) await service.chat({ body: { temperature: 0 } })
    expect(vendor.received()).toBe(1)
  })

  it('reloads without a refused request or a cut stream', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url)
    const before = await service.pids()
    const streams = await Promise.all(
      Array.from({ length: 6 }, () => service.chat({ model: 'held', stream: true })),
    )
    let isOver = false
    const statuses: number[] = []
    const load = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (!isOver) {
          const result = await service.chat()
          await result.text()
          statuses.push(result.status)
        }
      }),
    )
    service.process.child.kill('SIGUSR2')
    await service.process.until(/reloaded/)
    isOver = true
    await load
    expect(new Set(statuses)).toEqual(new Set([200]))
    const after = await service.pids()
    expect(after).toHaveLength(2)
    expect(after.filter(pid => before.includes(pid))).toEqual([])
    expect(vendor.held.size).toBe(6)
    vendor.release()
    for (const { text } of streams) expect(await text()).toMatch(/\[DONE\]/)
    for (const pid of before) {
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), patience)
    }
  })

  it('stops all workers on SIGTERM, after their requests', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url)
    const stream = await service.chat({ model: 'held', stream: true })
    service.process.child.kill('SIGTERM')
    await vi.waitFor(async () => {
      await expect(service.get('/pid')).rejects.toThrow()
    }, patience)
    vendor.release()
    expect(await stream.text()).toMatch(/\[DONE\]/)
    expect(await service.process.exited).toBe(0)
  })

  it('lets requests finish when the primary is killed, and leaves no process', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url)
    const pids = await service.pids()
    const streams = await Promise.all(
      Array.from({ length: 4 }, () => service.chat({ model: 'held', stream: true })),
    )
    service.process.child.kill('SIGKILL')
    for (const pid of pids) await service.process.until(new RegExp(`^${pid} has no primary$`, 'm'))
    expect(vendor.held.size).toBe(4)
    vendor.release()
    for (const { text } of streams) expect(await text()).toMatch(/\[DONE\]/)
    for (const pid of pids) {
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), patience)
    }
  })

  it('restarts a worker that ends, later each time', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url)
    // One of two workers ends twice.
    for (let count = 0; count < 3; count++) {
      await service.get('/crash').catch(() => {})
      await service.process.until(/ended with exit code 3.\nWorker \d is started again in 100 ms/)
      expect((await service.chat()).status).toBe(200)
      await vi.waitFor(async () => expect(await service.pids()).toHaveLength(2), patience)
    }
    await service.process.until(/started again in 200 ms/)
  })

  // Of all that is short, of the cache, and of stored responses.
  const channels = ['4', '5', '6']

  it.each(channels)(
    'ends a worker that sends what cannot be read on channel %s, and starts it again',
    async CHANNEL => {
      const vendor = await startVendor()
      const rules = [requests(3).per('hour')]
      const service = await startWorkers(program, vendor.url, { rules, env: { CHANNEL } })
      const before = await service.pids()
      expect((await service.chat()).status).toBe(200)
      await service.get('/garble').catch(() => {})
      await service.process.until(
        /Worker \d sent what cannot be read: it is ended.\nWorker \d ended by SIGKILL.\nWorker \d is started again/,
      )
      await vi.waitFor(async () => expect(await service.pids()).toHaveLength(2), patience)
      const after = await service.pids()
      expect(after.filter(pid => before.includes(pid))).toHaveLength(1)
      const results = []
      for (let count = 0; count < 4; count++) results.push(await service.chat())
      expect(statusesOf(results)).toEqual({ 200: 2, 429: 2 })
    },
  )

  it.each(channels)(
    'replaces a worker that cannot read its primary on channel %s, after its requests',
    async CHANNEL => {
      const vendor = await startVendor()
      const service = await startWorkers(program, vendor.url, { env: { CHANNEL } })
      const held = []
      for (let count = 0; count < 4; count++) held.push(await service.chat({ model: 'held', stream: true }))
      const before = await service.pids()
      service.process.child.kill('SIGHUP')
      await vi.waitFor(async () => expect(await service.pids()).toHaveLength(1), patience)
      vendor.release()
      for (const { text } of held) expect(await text()).toMatch(/\[DONE\]/)
      await service.process.until(/Worker \d is started again/)
      await vi.waitFor(async () => expect(await service.pids()).toHaveLength(2), patience)
      expect((await service.pids()).filter(pid => before.includes(pid))).toHaveLength(1)
    },
  )

  it('ends with the reason when no worker starts', async () => {
    const crashing = startProgram(program, 'http://127.0.0.1:9', { env: { CRASH: 'no such thing' } })
    // The primary runs the script too.
    expect(await crashing.exited).not.toBe(0)
    expect(crashing.stderr()).toContain('no such thing')
  })

  it('ends with the reason when workers are of another release than the primary', async () => {
    const other = startProgram(program, 'http://127.0.0.1:9', { env: { OTHER_RELEASE: '1' } })
    expect(await other.exited).not.toBe(0)
    expect(other.stderr()).toContain('WorkerStartError: The primary runs another release of Sluice')
  })

  it('starts again after it was closed', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url, { env: { CLOSE_FIRST: '1' } })
    expect(service.process.stdout()).toContain('closed: 2 workers')
    expect((await service.chat()).status).toBe(200)
    expect(await service.pids()).toHaveLength(2)
  })

  it('starts at another attempt after one that failed', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url, { env: { FAIL_FIRST: '1' } })
    expect(service.process.stdout()).toContain('not started: The primary runs another release of Sluice')
    expect((await service.chat()).status).toBe(200)
    expect(await service.pids()).toHaveLength(2)
  })
})

describe('a primary that does not respond', () => {
  it('makes each limit do as its onStoreFailure says, until it responds again', async () => {
    const vendor = await startVendor()
    const service = await startWorkers(program, vendor.url, {
      rules: [budget(100, 'usd').per('day'), requests(1_000).per('hour')],
    })
    // Kept alive: the primary accepts no connection while it is stopped.
    const pool = new Pool(service.url, { connections: 1 })
    const ask = async () => {
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'priced', messages: [{ role: 'user', content: 'hi' }] }),
      })
      return { statusCode, text: await body.text() }
    }
    expect((await ask()).statusCode).toBe(200)
    service.process.child.kill('SIGSTOP')
    try {
      const refused = await ask()
      expect(refused.statusCode).toBe(503)
      expect(refused.text).toContain('limiter_unavailable')
    } finally {
      service.process.child.kill('SIGCONT')
    }
    await vi.waitFor(async () => expect((await ask()).statusCode).toBe(200), patience)
    await pool.close()
  })
})
