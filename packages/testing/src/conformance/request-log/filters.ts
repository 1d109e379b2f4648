import assert from 'node:assert/strict'
import type { LoggedRequest, RequestLogFilter, RequestLogRepository } from '@sluice/core/store'
import type { ConformanceCase } from '../conformance-case.ts'
import { findIds, noon, row } from './rows.ts'

const cases: readonly (readonly [where: RequestLogFilter, matching: Partial<LoggedRequest>])[] = [
  [{ clientRequestId: 'mine-1' }, { clientRequestId: 'mine-1' }],
  [{ key: 'bob' }, { principal: 'bob' }],
  [{ source: 'jwt' }, { source: 'jwt' }],
  [{ user: 'end-user' }, { user: 'end-user' }],
  [{ model: 'big' }, { model: 'big' }],
  [{ provider: 'other' }, { provider: 'other' }],
  [{ operation: 'embed' }, { operation: 'embed' }],
  [{ dialect: 'messages' }, { dialect: 'messages' }],
  [{ outcome: 'upstream_failed' }, { outcome: 'upstream_failed' }],
  [{ status: 503 }, { status: 503 }],
  [{ status: '4xx' }, { status: 499 }],
  [{ error: 'refused' }, { error: 'refused' }],
  [{ errorText: 'OVERLOADED' }, { errorText: 'acme/small-1 refused 529 Overloaded' }],
  [{ errorText: '100%_\\' }, { errorText: 'the disk is 100%_\\ full' }],
  [{ tags: { team: 'ads' } }, { tags: { team: 'ads' } }],
  [{ tags: { team: 'ads', tier: 'gold' } }, { tags: { tier: 'gold', team: 'ads', more: 'x' } }],
]

/** Which rows a filter finds. */
export const requestLogFilters: readonly ConformanceCase<RequestLogRepository>[] = [
  ...cases.map(([where, matching]) => ({
    name: `finds rows by ${JSON.stringify(where)}, alone and with other conditions`,
    async run(make: () => Promise<RequestLogRepository>) {
      const repository = await make()
      const own = [row(matching), row({ at: noon - 60_000, ...matching })]
      const mixed = row({ tags: { tier: 'gold' }, status: 500, errorText: 'overload' })
      await repository.insert([row(), row({ status: 201 }), ...own, mixed, row()])
      const ids = own.map(({ id }) => id)
      const from = noon - 120_000
      assert.deepEqual(await findIds(repository, { from, where }), ids)
      assert.deepEqual(await findIds(repository, { from: noon, where }), ids.slice(0, 1))
      assert.deepEqual(await findIds(repository, { from, to: noon, where }), ids.slice(1))
      assert.deepEqual(await findIds(repository, { from, where: { ...where, id: ids[0]! } }), ids.slice(0, 1))
      const { principal, model, status } = own[0]!
      const all = { key: principal!, model: model!, ...where, ...(where.status === undefined && { status }) }
      assert.deepEqual(await findIds(repository, { from, where: all }), ids)
      assert.deepEqual(await findIds(repository, { from, where: { ...where, dialect: 'none' } }), [])
    },
  })),
  {
    name: 'does not find a value by a part of it, nor by another case, but for the text of an error',
    async run(make) {
      const repository = await make()
      await repository.insert([row({ user: 'Ann Smith', errorText: 'Broken Pipe' })])
      for (const where of [
        { user: 'Ann' },
        { user: 'ann smith' },
        { model: 'SMALL' },
        { tags: { Team: 'search' } },
      ]) {
        assert.deepEqual(await findIds(repository, { where }), [])
      }
      assert.equal((await findIds(repository, { from: noon, where: { errorText: 'broken p' } })).length, 1)
    },
  },
]
