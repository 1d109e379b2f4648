import { expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import type { LimitContext } from '../contracts/limiter.ts'
import { limit } from './limit.ts'

const ann = { id: 'ann' }
const draft = chatDraft()
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

it('asks only a limiter that enforces the limits of a principal that has some', async () => {
  const lease = { settle() {} }
  const limited = { id: 'ann', limits: [{ kind: 'concurrent', limit: 1 }] as const }
  const admit = () => lease
  expect(await limit(limited, draft, context, { admit, enforcesPrincipalLimits: true })).toBe(lease)
  expect(await limit({ ...limited, limits: [] }, draft, context, { admit })).toBe(lease)
  for (const enforcesPrincipalLimits of [undefined, false, 'yes'] as never[]) {
    expect(() => limit(limited, draft, context, { admit, enforcesPrincipalLimits })).toThrow(
      "The principal 'ann' has limits, and the gateway's limiter does not enforce them",
    )
  }
})

it.each([undefined, null, true, {}, { settle: 1 }, { headers: {} }])('takes %j for no lease', async value => {
  await expect(limit(ann, draft, context, { admit: () => value as never })).rejects.toThrow(
    new TypeError('limits returned no lease: expected an object with a settle function.'),
  )
})
