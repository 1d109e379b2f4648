import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { startReceiver } from '../../packages/alerts/src/webhook-receiver.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer } from './servers/redis-server.ts'

describeWithRedis('alerts of processes that share a Redis', () => {
  let server: RedisServer
  const folder = mkdtempSync(join(tmpdir(), 'sluice-alerts-'))
  const program = join(folder, 'alerts.cjs')
  beforeAll(async () => {
    server = await RedisServer.start()
    await build({
      entryPoints: [fileURLToPath(new URL('programs/alerts-main.ts', import.meta.url))],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      conditions: ['@sluice/source'],
    })
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  it('are sent once each by eight of them', async () => {
    const receiver = await startReceiver()
    const children: ChildProcess[] = []
    onTestFinished(async () => {
      for (const child of children) child.kill()
      await receiver.close()
    })
    for (let left = 8; left > 0; left--) children.push(fork(program, [server.url, receiver.url]))
    await Promise.all(children.map(child => once(child, 'message')))
    for (const spent of [5, 8, 10]) {
      const done = children.map(child => once(child, 'message'))
      for (const child of children) child.send(spent)
      await Promise.all(done)
    }
    const alerts = receiver.received.map(({ body }) => JSON.parse(body))
    expect(alerts).toHaveLength(15)
    for (const threshold of [0.5, 0.8, 1]) {
      expect(alerts.filter(alert => alert.threshold === threshold)).toHaveLength(5)
    }
    expect(new Set(alerts.map(({ id }) => id)).size).toBe(15)
  }, 60_000)
})
