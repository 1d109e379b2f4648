import type { SharedHealth, SharedTargetChange, SharedTargetState } from '@sluice/core'
import { claimProbe, letGoProbe, readHealth, writeHealth } from './lua/health.ts'
import { type RedisClient, scriptRunner } from './redis-client.ts'
import { script } from './script.ts'
import { checkedPrefix, spelled } from './store-keys.ts'
import { wholeNumberOf } from './whole-number-of.ts'

export interface RedisHealthOptions {
  /**
   * What the names of all keys begin with; gateways with the same one share their health. Default: `sluice`. It is
   * their hash tag too: in a cluster all keys of one prefix are on one node.
   */
  readonly prefix?: string
}

/** How long is kept what is known of a target, after it is neither open nor cools down, in milliseconds. */
const slackMs = 600_000

const reading = script(readHealth)
const writing = script(writeHealth)
const claim = script(claimProbe)
const release = script(letGoProbe)

/**
 * Tells processes by Redis (5 and newer) or Valkey which targets are left alone: `createGateway({ health:
 * redisHealth(client) })`. What one opens the others skip within two seconds, and one of all probes it; but for what may
 * be one process's own fault, as that it reaches nobody, or that its key is refused. The server's clock counts. No
 * request waits for it, and without it each process goes on by what it knows itself. No key is left behind: each has an
 * expiry.
 *
 * A target is known by its provider's name and its model: providers of one name share their health. The client is
 * yours: connect it, listen to its errors, close it. Throws `TypeError` for what is no client, and for a prefix that
 * cannot be a hash tag.
 */
export function redisHealth(
  client: RedisClient,
  { prefix = 'sluice' }: RedisHealthOptions = {},
): SharedHealth {
  const runner = scriptRunner(client, 'redisHealth')
  checkedPrefix(prefix, 'redisHealth')
  const state = (id: string) => `{${prefix}}:health:${spelled(id)}`
  const probe = (id: string) => `{${prefix}}:health-probe:${spelled(id)}`
  return {
    read: async ids => statesOf(await reading.run(runner, ids.map(state), []), ids.length),

    async write(changes) {
      const keys = changes.flatMap(({ id }) => [state(id), probe(id)])
      const reply = await writing.run(runner, keys, [String(slackMs), ...changes.flatMap(changeArguments)])
      return numbersOf(reply, changes.length)
    },

    async claimProbe(id, token, ms) {
      return flagOf(await claim.run(runner, [probe(id)], [token, whole(ms)]))
    },

    async letGoProbe(id, token) {
      flagOf(await release.run(runner, [probe(id)], [token]))
    },
  }
}

function changeArguments({ breaker, coolingMs = 0 }: SharedTargetChange): string[] {
  const cooling = whole(coolingMs)
  return breaker === undefined
    ? ['', '0', cooling]
    : [whole(breaker.openings), whole(breaker.openMs), cooling]
}

/** Fractions of a millisecond are of no use to the server, which would refuse some of them. */
function whole(number: number): string {
  return String(Math.ceil(number))
}

function statesOf(reply: unknown, targets: number): (SharedTargetState | undefined)[] {
  const numbers = numbersOf(reply, 4 * targets)
  return Array.from({ length: targets }, (_, index) => {
    const [generation = -1, openings = 0, openMs = 0, coolingMs = 0] = numbers.slice(4 * index)
    return generation === -1 ? undefined : { generation, openings, openMs, coolingMs }
  })
}

function numbersOf(reply: unknown, count: number): number[] {
  const numbers = Array.isArray(reply) ? reply.map(wholeNumberOf) : []
  if (numbers.length === count && numbers.every(number => number >= -1)) return numbers
  throw new Error(`Redis did not answer what its health script answers: expected ${count} whole numbers.`)
}

function flagOf(reply: unknown): boolean {
  const number = wholeNumberOf(reply)
  if (number === 0 || number === 1) return number === 1
  throw new Error('Redis did not answer what its health script answers: expected 0 or 1.')
}
