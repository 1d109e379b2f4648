import { describe, expect, it } from 'vitest'
import type { RedisClient } from './redis-client.ts'
import { redisHealth } from './redis-health.ts'

describe('redisHealth', () => {
  it('does not take for a client or a prefix what is none', () => {
    expect(() => redisHealth({} as unknown as RedisClient)).toThrow(/redisHealth\(client\): got .*expected/)
    expect(() => redisHealth(answering([]), { prefix: '}' })).toThrow(/redisHealth\(\)\.prefix: got/)
  })

  const state = (...numbers: unknown[]) => [...numbers, '', '', '', '', '0']

  it('reads of a state what the server knows', async () => {
    const reply = ['7', 2, '500', '0', 'd1', '1', 'overloaded', 'd2', '900', '-1', 0, 0, 0, '', '', '', '', 0]
    expect(await redisHealth(answering(reply)).read(['a', 'b'])).toEqual([
      {
        ...{ generation: 7, openings: 2, openMs: 500, cooldownMs: 0 },
        ...{ openFor: 'd1', partial: true, reason: 'overloaded', pause: { principal: 'd2', ms: 900 } },
      },
      undefined,
    ])
    expect(await redisHealth(answering(state(7, 0, 0, 0))).read(['a'])).toEqual([
      { generation: 7, openings: 0, openMs: 0, cooldownMs: 0 },
    ])
  })

  it.each([
    ...[null, 'OK', [], [1, 2, 3], state(1, 2, 3), state(1, 2, 3, 'many'), state(1, 0, 0, -2)],
    ...[state(1, 0, 0, 0.5), [1, 0, 0, 0, 5, '', '', '', 0], [1, 0, 0, 0, '', '', '', '', 'long']],
  ])('takes %j for no state', async reply => {
    await expect(redisHealth(answering(reply)).read(['a'])).rejects.toThrow(/Redis did not answer/)
  })

  it.each([null, 'OK', 2, [1]])('takes %j for no claim', async reply => {
    await expect(redisHealth(answering(reply)).acquireProbe('a', 't', 5)).rejects.toThrow(/did not answer/)
    await expect(redisHealth(answering(reply)).releaseProbe('a', 't')).rejects.toThrow(/did not answer/)
    await expect(redisHealth(answering(reply)).write([{ id: 'a' }, { id: 'b' }])).rejects.toThrow(/did not/)
  })

  it('keeps all keys in one slot, and sends whole milliseconds', async () => {
    const sent: string[][] = []
    const client = {
      evalSha: async (_: string, given: { keys: string[]; arguments: string[] }) => {
        sent.push(given.keys, given.arguments)
        return ['5', '5', '5']
      },
      eval: async () => null,
    }
    await redisHealth(client, { prefix: 'chat' }).write([
      { id: 'north/}{x}', breaker: { openings: 1, openMs: 0.2 } },
      { id: 'south/\ud800', cooldownMs: 1_000.5 },
      {
        id: 'west',
        breaker: { openings: 2, openMs: 9, openFor: 'd1', partial: true, reason: 'unreachable' },
        pause: { principal: 'd2', ms: 0.5 },
      },
    ])
    expect(sent).toEqual([
      [
        '{chat}:health:north/}{x}',
        '{chat}:health-probe:north/}{x}',
        '{chat}:health:south/%d800',
        '{chat}:health-probe:south/%d800',
        '{chat}:health:west',
        '{chat}:health-probe:west',
      ],
      [
        '600000',
        ...['1', '1', '', '', '', '0', '', '0'],
        ...['', '0', '', '', '', '1001', '', '0'],
        ...['2', '9', 'd1', '1', 'unreachable', '0', 'd2', '1'],
      ],
    ])
  })
})

function answering(reply: unknown): RedisClient {
  return { evalsha: async () => reply, eval: async () => reply }
}
