import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postgresLedgerRepository } from '../../packages/postgres/src/ledger-repository.ts'
import { migrateTables } from '../../packages/postgres/src/migrate.ts'
import { Queries } from '../../packages/postgres/src/queries.ts'
import { parseSchema } from '../../packages/postgres/src/schema.ts'
import { batch, charge, closing, entry } from '../../packages/testing/src/conformance/ledger/records.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

/** One part of a batch: of which record, and with how many tokens. */
type Part = readonly [record: number, tokens: number]

interface Step {
  readonly entries: readonly Part[]
  readonly progress: readonly (readonly [record: number, tokens: number | undefined])[]
  readonly closings: readonly Part[]
  readonly orphans: boolean
}

/** What should be known of a record. */
interface Known {
  state: 'open' | 'closed' | 'lost'
  tokens: number
}

const part = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 1, max: 1_000 }))
const step: fc.Arbitrary<Step> = fc.record({
  entries: fc.array(part, { maxLength: 3 }),
  progress: fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.option(fc.nat(1_000), { nil: undefined })), {
    maxLength: 3,
  }),
  closings: fc.array(part, { maxLength: 2 }),
  orphans: fc.boolean(),
})

/** Does to a map what a step does to a database. */
function follow(known: Map<number, Known>, { entries, progress, closings, orphans }: Step): void {
  for (const [record, tokens] of entries) {
    if (!known.has(record)) known.set(record, { state: 'open', tokens })
  }
  for (const [record, tokens] of progress) {
    const found = known.get(record)
    if (found?.state === 'open') found.tokens = tokens ?? found.tokens
  }
  const closed = new Set<number>()
  for (const [record, tokens] of closings) {
    if (!closed.has(record) && known.get(record)?.state !== 'closed')
      known.set(record, { state: 'closed', tokens })
    closed.add(record)
  }
  if (!orphans) return
  for (const found of known.values()) if (found.state === 'open') found.state = 'lost'
}

describeWithPostgres('the records in PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.dispose())

  it('are those of a plain map, after any batches, each of which comes twice', async () => {
    const pool = server.pool()
    const schema = parseSchema()
    await migrateTables(pool, schema)
    const rows = postgresLedgerRepository(new Queries(pool, schema))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async steps => {
        await pool.query('delete from sluice.requests')
        const entryOf = (record: number, tokens = 1) =>
          entry({ id: `record ${record}`, principal: `${record}`, estimate: charge(tokens) })
        const known = new Map<number, Known>()
        for (const each of steps) {
          const given = batch({
            entries: each.entries.map(([record, tokens]) => entryOf(record, tokens)),
            progress: each.progress.map(([record, tokens]) => ({
              id: `record ${record}`,
              charge: tokens === undefined ? undefined : charge(tokens),
            })),
            closings: each.closings.map(([record, tokens]) =>
              closing(entryOf(record), { charge: charge(tokens) }),
            ),
          })
          await rows.write(given)
          await rows.write(given)
          if (each.orphans) await rows.closeOrphans(0)
          follow(known, { ...each, orphans: false })
          follow(known, each)
        }
        const { rows: found } = await pool.query(
          'select principal, prompt_tokens::int as tokens, outcome, closed_at is not null as closed from sluice.requests order by id',
        )
        const expected = [...known].sort(([one], [other]) => one - other)
        expect(found).toEqual(
          expected.map(([record, { state, tokens }]) => ({
            principal: `${record}`,
            tokens,
            outcome: { open: null, closed: 'completed', lost: 'lost' }[state],
            closed: state !== 'open',
          })),
        )
      }),
      { numRuns: 150 },
    )
  })
})
