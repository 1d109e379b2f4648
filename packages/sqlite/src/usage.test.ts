import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Connection } from './connection.ts'
import { migrate } from './migrate.ts'
import { queryUsage } from './usage.ts'

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

describe('queryUsage', () => {
  it('counts each record once, over many steps', async () => {
    const connection = await filled()
    const [all] = await queryUsage(connection, { by: [] })
    expect(all).toMatchObject({ requests: records, promptTokens: records, completionTokens: 2 * records })
    expect(all?.cost).toBe((records * 1_000) / 1e9)
    const rows = await queryUsage(connection, { by: ['key'], from: 1, to: 2 })
    expect(rows.map(({ by }) => by.key)).toEqual(['key 0', 'key 1', 'key 2'])
    expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(8_000)
  })

  it('goes through the records of one key alone where only that is asked for', async () => {
    const connection = await filled()
    const reads = vi.spyOn(connection, 'read')
    const where = { key: 'key 1', model: 'm' }
    const [row] = await queryUsage(connection, { by: ['day'], from: 1, to: 2, where })
    const asked = [...reads.mock.calls]
    expect(asked.length).toBeGreaterThan(1)
    for (const [sql, args] of asked) {
      const plan = await connection.read(`EXPLAIN QUERY PLAN ${sql}`, args)
      expect(String(plan[0]?.detail)).toMatch(/sluice_record_principal \(principal=\? AND \(?opened_at/)
      expect(JSON.stringify(plan)).not.toContain('FOR ORDER BY')
    }
    const all = await queryUsage(connection, { by: ['key'], from: 1, to: 2 })
    expect(row?.requests).toBe(all.find(({ by }) => by.key === 'key 1')?.requests)
  })

  it('sums what matches over many steps, also where hardly anything does', async () => {
    const connection = await filled()
    await connection.write([
      `UPDATE sluice_record SET model = 'rare', tags = '{"team":"x"}' WHERE row % 4999 = 1`,
    ])
    for (const where of [{ model: 'rare' }, { tags: { team: 'x' } }]) {
      const reads = vi.spyOn(connection, 'read')
      expect((await queryUsage(connection, { by: [], where }))[0]?.requests).toBe(5)
      // As many steps as for all.
      expect(reads.mock.calls.length).toBeGreaterThanOrEqual(8)
      reads.mockRestore()
    }
    const perKey = await queryUsage(connection, { by: ['key'], where: { model: 'm' } })
    expect(perKey.reduce((sum, { requests }) => sum + requests, 0)).toBe(records - 5)
    expect((await queryUsage(connection, { by: [], where: { key: 'key 0' } }))[0]?.requests).toBe(6_667)
  })

  it('lets others have their turn between steps', async () => {
    const connection = await filled()
    let turns = 0
    let over = false
    const asked = queryUsage(connection, { by: ['key', 'day', 'tag:team'] }).finally(() => {
      over = true
    })
    while (!over) {
      await turn()
      turns += 1
    }
    await asked
    expect(turns).toBeGreaterThanOrEqual(20)
  })

  it('sorts by code point, and what has no value last', async () => {
    const connection = await filled()
    // U+FFFD is one unit, and U+1F600 is two that are lower.
    const names = ['a', 'aa', 'b', '\ufffd', '\u{1f600}', '\u{1f600}x', '\u{1f601}']
    await connection.write(
      names.map((name, at) => ({
        sql: 'UPDATE sluice_record SET end_user = ? WHERE row % 97 = ?',
        args: [name, at],
      })),
    )
    const rows = await queryUsage(connection, { by: ['user'] })
    expect(rows.map(({ by }) => by.user)).toEqual([...names, null])
  })
})
