import { describe, expect, it } from 'vitest'
import type { Call } from '../traffic/call.ts'
import { localAdmissions, lostAdmissions, overAdmissions } from './bounds.ts'
import type { CallRecord } from './records.ts'

/** Calls that were sent at some moments, and arrived a millisecond later. */
function admitted(times: readonly number[]) {
  const calls = times.map((sentAt, index): CallRecord => {
    const call: Call = { mark: `m-${index}`, tenant: 'flood', stream: false, tokens: 1, paceMs: 1 }
    return { call, sentAt, endedAt: sentAt + 2, end: { how: 'disconnected' }, requestId: undefined }
  })
  const upstream = new Map(
    calls.map(({ call, sentAt }) => [call.mark, [{ upstream: 'upstream-1', arrivedAt: sentAt + 1 }]]),
  )
  return { calls, upstream }
}

describe('overAdmissions', () => {
  const burst = Array.from({ length: 10 }, () => 0)

  it('is 0 for a burst of the limit and what refills after it', () => {
    const { calls, upstream } = admitted([...burst, 100, 200, 300])
    expect(overAdmissions(calls, upstream, 10)).toBe(0)
  })

  it('counts what was admitted beyond that', () => {
    const { calls, upstream } = admitted([...burst, 0, 50])
    expect(overAdmissions(calls, upstream, 10)).toBe(2)
  })

  it('does not count calls that reached no upstream', () => {
    const { calls, upstream } = admitted([...burst, 0, 0])
    upstream.delete('m-0')
    upstream.delete('m-1')
    expect(overAdmissions(calls, upstream, 10)).toBe(0)
  })
})

describe('the bounds', () => {
  it('has a share for each process, and a burst of it', () => {
    expect(localAdmissions(10, 4, [5, 0])).toBe(2 * 6 + 2)
    expect(localAdmissions(1, 4, [1, 1])).toBe(4)
    expect(localAdmissions(10, 4, [])).toBe(0)
  })

  it('has what a replica did not know', () => {
    expect(lostAdmissions(10, 250)).toBe(3)
    expect(lostAdmissions(10, 0)).toBe(0)
  })
})
