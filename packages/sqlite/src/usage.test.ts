import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { migrate } from './migrate.ts'
import { usageOf } from './usage.ts'

const records = 20_000

/** More of one millisecond than a step takes. */
async function filled(): Promise<Connection> {
  const connection = await Connection.open(':memory:')
  onTestFinished(() => connection.close())
  await migrate(connection)
  await connection.write([
    `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${records - 1})
     INSERT INTO sluice_record (id, request_id, principal, tags, model, stream, opened_at, seen_at, closed_at, outcome,
       status, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, cost, estimated)
     SELECT 'id' || i, 'req', 'key ' || (i % 3), '{}', 'm', 0, (i * 7919 % ${records}) / 8000, 0, 1, 'completed',
       200, 1, 2, 0, 0, 1000, 0 FROM n`,
  ])
  return connection
}

describe('usageOf', () => {
  it('counts each record once, over many steps', async () => {
    const connection = await filled()
    const [all] = await usageOf(connection, { by: [] })
    expect(all).toMatchObject({ requests: records, promptTokens: records, completionTokens: 2 * records })
    expect(all?.cost).toBe((records * 1_000) / 1e9)
    const rows = await usageOf(connection, { by: ['key'], from: 1, to: 2 })
    expect(rows.map(({ by }) => by.key)).toEqual(['key 0', 'key 1', 'key 2'])
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(8_000)
  })

  it('lets others have their turn between steps', async () => {
    const connection = await filled()
    let turns = 0
    let over = false
    const asked = usageOf(connection, { by: ['key', 'day', 'tag:team'] }).finally(() => {
      over = true
    })
    while (!over) {
      await turn()
      turns += 1
    }
    await asked
    expect(turns).toBeGreaterThanOrEqual(4)
  })
})
