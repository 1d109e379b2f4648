import type {
  SharedHealth,
  SharedTargetChange,
  SharedTargetState,
  UnavailableReason,
} from '@sluice/core/store'
import { acquireProbe, readHealth, releaseProbe, writeHealth } from './lua/health.ts'
import { parseWholeNumber } from './parse-whole-number.ts'
import { type RedisClient, scriptRunner } from './redis-client.ts'
import { script } from './script.ts'
import { encodeKeyPart, validatePrefix } from './store-keys.ts'

/** Options of `redisHealth()`. */
export interface RedisHealthOptions {
  /**
   * The prefix of all keys; gateways with the same prefix share their health. Default `sluice`. It is also the hash tag:
   * in a cluster all keys of one prefix are on one node.
   */
  readonly prefix?: string | undefined
}

/** How long a target's state outlives its open breaker or cooldown, in milliseconds. */
const slackMs = 600_000

const readScript = script(readHealth)
const writeScript = script(writeHealth)
const acquireScript = script(acquireProbe)
const releaseScript = script(releaseProbe)

/**
 * Shares the circuit breakers of processes in Redis (5 and newer) or Valkey:
 * `createGateway({ sharedHealth: redisHealth(client) })`. When one process opens a breaker, the others skip the target
 * within 2 seconds, and one of them probes it. Failures that may be local to one process, such as a lost network or a
 * refused key, are not shared. Principals are stored as digests of 16 characters, not as ids. No request waits for Redis;
 * without it, each process uses its own state. Times are the server's clock's, and every key has an expiry.
 *
 * A target is identified by its provider's name and its model: providers with the same name share their health. You own
 * the client: connect it, handle its errors, close it. Throws `TypeError` for an invalid client or prefix.
 */
export function redisHealth(
  client: RedisClient,
  { prefix = 'sluice' }: RedisHealthOptions = {},
): SharedHealth {
  const runner = scriptRunner(client, 'redisHealth')
  validatePrefix(prefix, 'redisHealth')
  const state = (id: string) => `{${prefix}}:health:${encodeKeyPart(id)}`
  const probe = (id: string) => `{${prefix}}:health-probe:${encodeKeyPart(id)}`
  return {
    read: async ids => statesOf(await readScript.run(runner, ids.map(state), []), ids.length),

    async write(changes) {
      const keys = changes.flatMap(({ id }) => [state(id), probe(id)])
      const reply = await writeScript.run(runner, keys, [
        String(slackMs),
        ...changes.flatMap(changeArguments),
      ])
      return numbersOf(reply, changes.length)
    },

    async acquireProbe(id, holder, ms) {
      return flagOf(await acquireScript.run(runner, [probe(id)], [holder, whole(ms)]))
    },

    async releaseProbe(id, holder) {
      flagOf(await releaseScript.run(runner, [probe(id)], [holder]))
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

/** The number of texts for one target. */
const stateFields = 9

function statesOf(reply: unknown, targets: number): (SharedTargetState | undefined)[] {
  const texts: readonly unknown[] = Array.isArray(reply) ? reply : []
  if (texts.length !== stateFields * targets) throw unexpectedReply(`${stateFields * targets} values`)
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
  throw unexpectedReply('texts')
}

function unexpectedReply(expected: string): Error {
  return new Error(`Redis did not answer what its health script answers: expected ${expected}.`)
}

function numbersOf(reply: unknown, count: number): number[] {
  const numbers = Array.isArray(reply) ? reply.map(parseWholeNumber) : []
  if (numbers.length === count && numbers.every(number => number >= -1)) return numbers
  throw unexpectedReply(`${count} whole numbers`)
}

function flagOf(reply: unknown): boolean {
  const number = parseWholeNumber(reply)
  if (number === 0 || number === 1) return number === 1
  throw unexpectedReply('0 or 1')
}
