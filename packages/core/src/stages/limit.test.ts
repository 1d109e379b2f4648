import { expect, it } from 'vitest'
import { type LimitContext, limit } from './limit.ts'

const ann = { id: 'ann' }
const draft = { model: 'm', body: { model: 'm' }, bytes: 13 }
const context: LimitContext = {
  entry: 'm',
  requestId: 'req_1',
  targets: [],
  price: () => null,
  signal: new AbortController().signal,
}

it('gives the lease as it came, and asks with the caller, the draft and what is known beside', async () => {
  const lease = { headers: { 'x-room': '1' }, settle() {} }
  const asked: unknown[] = []
  const admit = (...given: unknown[]) => {
    asked.push(...given)
    return lease
  }
  expect(await limit(ann, draft, context, { admit })).toBe(lease)
  expect(asked).toEqual([ann, draft, context])
})

it('has room without end where nobody limits', async () => {
  const lease = await limit(ann, draft, context, undefined)
  expect(lease.headers).toEqual({})
  expect(lease.settle(undefined, null)).toBeUndefined()
})

it.each([undefined, null, true, {}, { settle: 1 }, { headers: {} }])('takes %j for no lease', async value => {
  await expect(limit(ann, draft, context, { admit: () => value as never })).rejects.toThrow(
    new TypeError('limit gave something that is no lease: expected an object with a function settle.'),
  )
})
