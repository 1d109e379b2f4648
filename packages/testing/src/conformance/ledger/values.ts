import assert from 'node:assert/strict'
import type { LedgerRepository } from '@sluice/core/ledger'
import type { ConformanceCase } from '../conformance-case.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { batch, charge, closing, entry } from './records.ts'
import { expectTotals, sumsOf } from './totals.ts'

const most = Number.MAX_SAFE_INTEGER

/** Hostile values in records: texts of callers, counts of vendors, prices of a table. */
export const ledgerValues: readonly ConformanceCase<LedgerRepository>[] = [
  {
    name: 'keeps any text, and what no database can hold as U+FFFD',
    async run(make) {
      for (const [text, kept] of hostileTexts) {
        const rows = await make()
        const opened = entry({
          principal: text,
          source: text,
          user: text,
          dialect: text,
          model: text,
          requestId: text,
          tags: { team: text },
        })
        await rows.write(batch({ entries: [opened] }))
        await rows.write(batch({ progress: [{ id: opened.id, charge: undefined }] }))
        await rows.write(
          batch({
            closings: [closing(opened, { provider: text, upstreamModel: text, responseModel: text })],
          }),
        )
        const found = await rows.usage({
          by: ['key', 'source', 'user', 'dialect', 'model', 'provider', 'tag:team'],
        })
        assert.deepEqual(
          found.map(({ by }) => by),
          [
            {
              key: kept,
              source: kept === '' ? null : kept,
              user: kept === '' ? null : kept,
              dialect: kept,
              model: kept,
              provider: kept,
              'tag:team': kept,
            },
          ],
        )
      }
    },
  },
  {
    name: 'takes the name of a tag as data',
    async run(make) {
      const rows = await make()
      const tags = Object.fromEntries(hostileTexts.map(([name], index) => [name, `value ${index}`]))
      await rows.write(batch({ closings: [closing(entry({ tags })), closing(entry({ tags: {} }))] }))
      for (const [index, [name]] of hostileTexts.entries()) {
        const found = await rows.usage({ by: [`tag:${name}`] })
        assert.deepEqual(
          found.map(({ by, requests }) => [Object.entries(by), requests]),
          [
            [[[`tag:${name}`, `value ${index}`]], 1],
            [[[`tag:${name}`, null]], 1],
          ],
        )
      }
      assert.deepEqual((await rows.usage({ by: ['tag:toString'] }))[0]?.by, { 'tag:toString': null })
    },
  },
  {
    name: 'finds a record by any id',
    async run(make) {
      const rows = await make()
      const opened = hostileTexts.map(([id]) => entry({ id }))
      await rows.write(batch({ entries: opened }))
      await rows.write(batch({ progress: opened.map(({ id }) => ({ id, charge: charge(1) })) }))
      await rows.write(batch({ closings: opened.map(each => closing(each)) }))
      await expectTotals(rows, { requests: opened.length, ...sumsOf(10 * opened.length) })
    },
  },
  {
    name: 'sums money without drift',
    async run(make) {
      const rows = await make()
      const costs = Array.from({ length: 3_000 }, (_, index) => [0.1, 0.2, 0.000_000_001][index % 3] ?? 0)
      await rows.write(batch({ closings: costs.map(cost => closing(entry(), { charge: charge(1, cost) })) }))
      const [row] = await rows.usage({ by: [] })
      assert.equal(row?.cost, 300.000_001)
    },
  },
  {
    name: 'sums counts that are huge',
    async run(make) {
      const rows = await make()
      const huge = { promptTokens: most, completionTokens: 2 ** 40, cachedTokens: 0, reasoningTokens: most }
      const closings = Array.from({ length: 2_000 }, () =>
        closing(entry(), { charge: { ...huge, cost: 9_000_000 } }),
      )
      await rows.write(batch({ closings }))
      const [row] = await rows.usage({ by: ['key'] })
      assert.equal(row?.completionTokens, 2_000 * 2 ** 40)
      assertNear(row?.promptTokens, 2_000 * most)
      assertNear(row?.reasoningTokens, 2_000 * most)
      assertNear(row?.cost, 2_000 * 9_000_000)
    },
  },
  {
    name: 'bounds what no column can hold',
    async run(make) {
      const rows = await make()
      const worst = [Number.POSITIVE_INFINITY, 1e300, -1, -0, Number.NEGATIVE_INFINITY, Number.NaN, 0.4]
      const closings = worst.map(value =>
        closing(
          entry({ principal: String(value), openedAt: value, estimate: { ...charge(value), cost: value } }),
          {
            charge: { ...charge(1), promptTokens: value, cost: value },
            closedAt: value,
            status: value,
            attempts: value,
            firstByteMs: value,
            totalMs: value,
          },
        ),
      )
      await rows.write(batch({ entries: closings.map(each => each.entry) }))
      await rows.write(batch({ closings }))
      const found = await rows.usage({ by: ['key'] })
      const of = (value: number) => found.find(({ by }) => by.key === String(value))
      assert.equal(
        found.reduce((sum, { requests }) => sum + requests, 0),
        worst.length,
      )
      for (const value of [Number.POSITIVE_INFINITY, 1e300]) {
        assert.equal(of(value)?.promptTokens, most)
        assertNear(of(value)?.cost, most / 1e9)
      }
      for (const value of [-1, Number.NEGATIVE_INFINITY, Number.NaN]) {
        assert.equal(of(value)?.promptTokens, 0)
        assert.equal(of(value)?.cost, 0)
      }
      assert.equal(of(Number.NaN)?.unpriced, 1)
      assert.equal(of(-1)?.unpriced, 0)
      assert.equal(of(0.4)?.promptTokens, 0)
      assert.equal(of(0.4)?.cost, 0.4)
    },
  },
]

function assertNear(actual: number | undefined, expected: number): void {
  assert.ok(Math.abs((actual ?? 0) / expected - 1) < 1e-12, `got ${actual}, expected ${expected}`)
}
