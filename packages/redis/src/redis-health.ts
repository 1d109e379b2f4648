import type {
  SharedHealth,
  SharedTargetChange,
  SharedTargetState,
  UnavailableReason,
} from '@sluice/core/store'
import { acquireProbe, readHealth, releaseProbe, writeHealth } from './lua/health.ts'
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
const claim = script(acquireProbe)
const release = script(releaseProbe)

/**
 * Tells processes by Redis (5 and newer) or Valkey which targets are left alone: `createGateway({ health:
 * redisHealth(client) })`. What one opens the others skip within two seconds, and one of all probes it; but for what may
 * be one process's own fault, as that it reaches nobody, or that its key is refused. Principals are told apart by digests
 * of 16 characters; their ids are not stored. The server's clock counts. No
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

    async acquireProbe(id, token, ms) {
      return flagOf(await claim.run(runner, [probe(id)], [token, whole(ms)]))
    },

    async releaseProbe(id, token) {
      flagOf(await release.run(runner, [probe(id)], [token]))
    },
  }
}

function changeArguments({ breaker, cooldownMs = 0, pause }: SharedTargetChange): string[] {
  const { openings, openMs = 0, openFor = '', partial = false, reason = '' } = breaker ?? {}
  return [
    openings === undefined ? '' : whole(openings),
    whole(openMs),
    openFor,
    partial ? '1' : '',
    reason,
    whole(cooldownMs),
    pause?.principal ?? '',
    whole(pause?.ms ?? 0),
  ]
}

/** Fractions of a millisecond are of no use to the server, which would refuse some of them. */
function whole(number: number): string {
  return String(Math.ceil(number))
}

/** How many texts stand for one target. */
const stateFields = 9

function statesOf(reply: unknown, targets: number): (SharedTargetState | undefined)[] {
  const texts: readonly unknown[] = Array.isArray(reply) ? reply : []
  if (texts.length !== stateFields * targets) throw unexpected(`${stateFields * targets} values`)
  return Array.from({ length: targets }, (_, index) => stateOf(texts.slice(stateFields * index)))
}

function stateOf(texts: readonly unknown[]): SharedTargetState | undefined {
  const numbers = numbersOf([...texts.slice(0, 4), texts[8]], 5)
  const [generation = -1, openings = 0, openMs = 0, cooldownMs = 0, pauseMs = 0] = numbers
  const [openFor = '', partial = '', reason = '', principal = ''] = texts.slice(4, 8).map(textOf)
  if (generation === -1) return undefined
  return {
    ...{ generation, openings, openMs, cooldownMs },
    ...(openFor !== '' && { openFor }),
    ...(partial === '1' && { partial: true }),
    // A later version may have others: the caller does not take those.
    ...(reason !== '' && { reason: reason as UnavailableReason }),
    ...(pauseMs > 0 && { pause: { principal, ms: pauseMs } }),
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  throw unexpected('texts')
}

function unexpected(expected: string): Error {
  return new Error(`Redis did not answer what its health script answers: expected ${expected}.`)
}

function numbersOf(reply: unknown, count: number): number[] {
  const numbers = Array.isArray(reply) ? reply.map(wholeNumberOf) : []
  if (numbers.length === count && numbers.every(number => number >= -1)) return numbers
  throw unexpected(`${count} whole numbers`)
}

function flagOf(reply: unknown): boolean {
  const number = wholeNumberOf(reply)
  if (number === 0 || number === 1) return number === 1
  throw unexpected('0 or 1')
}
