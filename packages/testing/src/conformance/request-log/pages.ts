import assert from 'node:assert/strict'
import type { RequestLogPosition, RequestLogRepository } from '@sluice/core/store'
import type { ConformanceCase } from '../conformance-case.ts'
import { hostileTexts } from '../hostile-texts.ts'
import { find, findIds, noon, row } from './rows.ts'

/** What is stored, and in which order it is returned. */
export const requestLogPages: readonly ConformanceCase<RequestLogRepository>[] = [
  {
    name: 'returns rows as they were stored',
    async run(make) {
      const repository = await make()
      const full = row({
        clientRequestId: 'mine-1',
        user: 'u',
        cache: 'hit',
        replayed: true,
        tags: { a: 'b' },
      })
      const empty = row({
        outcome: 'refused',
        status: 401,
        principal: null,
        source: null,
        tags: {},
        authFailure: 'expired',
        model: null,
        provider: null,
        upstreamModel: null,
        responseModel: null,
        promptTokens: null,
        cachedTokens: null,
        completionTokens: null,
        reasoningTokens: null,
        cost: null,
        firstByteMs: null,
        overheadMs: null,
        error: 'invalid_api_key',
        errorText: 'invalid_api_key',
        attempts: [],
        candidates: [],
        adjustments: [],
      })
      await repository.insert([full, empty])
      assert.deepEqual(await find(repository, { where: { id: full.id } }), [full])
      assert.deepEqual(await find(repository, { where: { id: empty.id } }), [empty])
      assert.deepEqual(await find(repository, { where: { id: 'req_none' } }), [])
    },
  },
  {
    name: 'stores a row once, although it is written again',
    async run(make) {
      const repository = await make()
      const rows = [row(), row()]
      await repository.insert(rows)
      await repository.insert([...rows, row()])
      await repository.insert([])
      assert.equal((await findIds(repository)).length, 3)
      assert.equal((await findIds(repository, { where: { tags: { team: 'search' } } })).length, 3)
    },
  },
  {
    name: 'returns the newest rows first, and in one order within a millisecond',
    async run(make) {
      const repository = await make()
      const [a, b, c, d] = [
        row({ at: noon + 1 }),
        row({ at: noon }),
        row({ at: noon }),
        row({ at: noon - 1 }),
      ]
      await repository.insert([c, a, d, b])
      assert.deepEqual(await findIds(repository), [a.id, c.id, b.id, d.id])
      assert.deepEqual(await findIds(repository, { limit: 2 }), [a.id, c.id])
      assert.deepEqual(await findIds(repository, { from: noon, to: noon + 1 }), [c.id, b.id])
    },
  },
  {
    name: 'has each row on one page, under every filter, although rows are added meanwhile',
    async run(make) {
      const rows = Array.from({ length: 60 }, (_, index) =>
        row({
          at: noon + Math.floor(index / 7),
          ...(index % 2 === 0 && { outcome: 'refused', status: 429, error: 'rate_limit_exceeded' }),
          ...(index % 2 === 0 && { errorText: 'rate_limit_exceeded' }),
        }),
      )
      const newest = [...rows].sort((one, other) => other.at - one.at || (one.id < other.id ? 1 : -1))
      const failed = newest.filter(({ status }) => status === 429)
      const cases = [
        [{}, newest],
        [{ key: 'ann' }, newest],
        [{ tags: { team: 'search' } }, newest],
        [{ status: 429 }, failed],
        [{ status: '4xx', model: 'small' }, failed],
        [{ errorText: 'LIMIT' }, failed],
        [{ tags: { team: 'search' }, error: 'rate_limit_exceeded' }, failed],
      ] as const
      for (const [where, expected] of cases) {
        const repository = await make()
        await repository.insert(rows)
        const seen: string[] = []
        let after: RequestLogPosition | undefined
        for (;;) {
          const page = await find(repository, { from: noon, where, after, limit: 7 })
          seen.push(...page.map(({ id }) => id))
          if (page.length < 7) break
          after = page.at(-1)
          await repository.insert([row({ at: noon + 1_000 })])
        }
        assert.deepEqual(
          seen,
          expected.map(({ id }) => id),
          JSON.stringify(where),
        )
      }
    },
  },
  {
    name: 'takes texts as data',
    async run(make) {
      const repository = await make()
      const stored = hostileTexts.map(([, text]) => text)
      const rows = stored.map(text =>
        row({
          clientRequestId: text,
          principal: text,
          source: text,
          user: text,
          model: text,
          provider: text,
          error: text,
          errorText: text,
          tags: { [text]: text },
        }),
      )
      await repository.insert(rows)
      for (const [index, text] of stored.entries()) {
        const same = rows.filter(each => each.user === text)
        const ids = same.map(({ id }) => id).reverse()
        for (const where of [
          { clientRequestId: text },
          { key: text },
          { source: text },
          { user: text },
          { model: text },
          { provider: text },
          { error: text },
          { tags: { [text]: text } },
        ]) {
          assert.deepEqual(await findIds(repository, { where }), ids, `${Object.keys(where)[0]} ${index}`)
        }
        const containing = await findIds(repository, { from: noon, where: { errorText: text } })
        for (const id of ids) assert.ok(containing.includes(id), `errorText ${index}`)
      }
      assert.deepEqual(await find(repository), [...rows].reverse())
    },
  },
]
