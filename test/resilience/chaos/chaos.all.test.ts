import { expect, it } from 'vitest'
import { describeWithRedis } from '../../stores/servers/describe-with-redis.ts'
import { reconcile } from './books/reconcile.ts'
import { quickPlan } from './plan.ts'
import { runChaos } from './run-chaos.ts'
import { sqliteDatabase } from './stores/sqlite-database.ts'

// A slice of `pnpm chaos`: one process is stopped, one is killed.

describeWithRedis('a gateway that is stopped and killed under load', () => {
  it('loses no record (P6)', async () => {
    const logs = await runChaos(quickPlan, sqliteDatabase, () => {})
    const { differences, accounts } = reconcile(logs)
    expect(differences).toEqual([])
    // Something was cut off by each of them.
    const outcomes = new Set(accounts.map(({ row }) => row?.outcome))
    expect([...outcomes]).toEqual(expect.arrayContaining(['completed', 'gateway_closed', 'lost']))
    expect(logs.rows.length).toBeGreaterThan(50)
  })
})
