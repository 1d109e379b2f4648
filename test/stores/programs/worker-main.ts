import { randomBytes } from 'node:crypto'
import type { LimitStore } from '@sluice/core'
import type { Claim } from '@sluice/core/store'
import { redisLimitStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import type { Grant, Report, Task, Traffic, WorkerOptions } from './worker-messages.ts'

/** A process that shares limits with others; `workers.ts` starts it. */
const options = JSON.parse(process.argv[2] ?? '{}') as WorkerOptions

const trueNow = Date.now
Date.now = () => trueNow() + options.skewMs

const connecting = connected(options)
process.on('message', (task: Task) => {
  void connecting.then(async store => process.send?.(await run(store, task)))
})
process.on('disconnect', () => process.exit())
void connecting.then(() => process.send?.('ready'))

async function connected({ port, client }: WorkerOptions): Promise<LimitStore> {
  if (client === 'ioredis') {
    const made = new Redis(port, '127.0.0.1', { retryStrategy: () => 50 })
    made.on('error', () => {})
    return redisLimitStore(made)
  }
  const made = createClient({ url: `redis://127.0.0.1:${port}`, socket: { reconnectStrategy: 50 } })
  made.on('error', () => {})
  await made.connect()
  return redisLimitStore(made)
}

async function run(store: LimitStore, task: Task): Promise<Report> {
  if (task.does === 'traffic') return traffic(store, task.traffic)
  const ttlMs = task.does === 'hold' ? task.ttlMs : 60_000
  const claims = Array.from({ length: task.times }, () => claimOf(task, ttlMs))
  const grants = await Promise.all(claims.map(async claim => ({ claim, grant: await asked(store, claim) })))
  const allowed = grants.flatMap(({ claim, grant }) => (grant === undefined ? [] : { claim, grant }))
  if (task.does === 'hold') {
    const held = allowed.map(({ claim }) => claim)
    setInterval(() => void store.renew(held, ttlMs), ttlMs / 3)
  }
  return { told: [], failures: 0, grants: allowed.map(({ grant }) => grant) }
}

async function traffic(
  store: LimitStore,
  { decisions, atOnce, heldMs, counters, charged }: Traffic,
): Promise<Report> {
  const grants: Grant[] = []
  const told: number[] = []
  let left = decisions
  let failures = 0
  /** A server that is away is asked again, and the settlement is not lost. */
  const insist = async <T>(operation: () => T | Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await operation()
      } catch {
        failures++
        await new Promise(resolve => setTimeout(resolve, 20))
      }
    }
  }
  const client = async () => {
    while (left-- > 0) {
      const { claim, grant } = await insist(async () => {
        const fresh = claimOf({ counters }, 60_000)
        return { claim: fresh, grant: await asked(store, fresh) }
      })
      told.push(grant?.told ?? machineMs())
      if (grant === undefined) continue
      if (heldMs > 0) await new Promise(resolve => setTimeout(resolve, heldMs))
      grants.push({ ...grant, settling: machineMs() })
      await insist(() => store.settle({ ...claim, charged }))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client))
  return { told, failures, grants }
}

async function asked(store: LimitStore, claim: Claim): Promise<Grant | undefined> {
  const before = machineMs()
  const { allowed } = await store.admit(claim)
  return allowed ? { asked: before, told: machineMs(), settling: Number.POSITIVE_INFINITY } : undefined
}

function claimOf({ counters }: Pick<Claim, 'counters'>, ttlMs: number): Claim {
  return { id: randomBytes(16).toString('hex'), ttlMs, counters }
}

/** Monotonic, and the same in all processes of a machine. */
function machineMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}
