import type { Claim, Counter, LimitStore } from '@sluice/core/store'
import { counterArguments, isHeldUntilSettled } from './counter-arguments.ts'
import { parseDecision } from './limit-decision.ts'
import { admit } from './lua/admit.ts'
import { renew } from './lua/renew.ts'
import { settle } from './lua/settle.ts'
import { parseWholeNumber } from './parse-whole-number.ts'
import type { ScriptRunner } from './redis-client.ts'
import { script } from './script.ts'
import type { StoreKeys } from './store-keys.ts'

/** The maximum claims per renew script: a script blocks the server. */
const renewedAtOnce = 100

/** How long keys outlive their use, in milliseconds. A test's clock differs from the server's, which expires them. */
const slackMs = { ownClock: 1_000, givenClock: 600_000 }

const admitScript = script(admit)
const settleScript = script(settle)
const renewScript = script(renew)

/**
 * Creates a limit store. Its operations throw `TypeError` for invalid counters, and reject with the client's error.
 *
 * @param now - milliseconds since 1970, for tests. Default: the server's clock.
 */
export function createLimitStore(runner: ScriptRunner, keys: StoreKeys, now?: () => number): LimitStore {
  const head = () =>
    now === undefined
      ? ['', String(slackMs.ownClock)]
      : [String(Math.round(now() * 1_000)), String(slackMs.givenClock)]
  return {
    admit({ id, ttlMs, counters }) {
      const names = [keys.claim(id), ...counters.flatMap(keys.counter)]
      const asked = counters.flatMap(counter => counterArguments(counter))
      const args = [...head(), id, microseconds(ttlMs), ...asked]
      return admitScript.run(runner, names, args).then(reply => parseDecision(reply, counters))
    },

    settle({ id, counters, charged }) {
      if (charged.length !== counters.length) {
        throw new TypeError(`settle(): got ${charged.length} charges, expected ${counters.length}.`)
      }
      const held = counters.flatMap((counter, index) =>
        isHeldUntilSettled(counter) ? { counter, index } : [],
      )
      if (held.length === 0) return
      const names = [keys.claim(id), ...held.flatMap(({ counter }) => keys.counter(counter))]
      const args = held.flatMap(({ counter, index }) => counterArguments(counter, charged[index]))
      return settleScript.run(runner, names, [...head(), id, ...args]).then(reply => expectCount(reply, 1))
    },

    renew(claims, ttlMs) {
      const span = microseconds(ttlMs)
      const held = claims
        .map(({ id, counters }) => ({ id, counters: counters.filter(isHeldUntilSettled) }))
        .filter(({ counters }) => counters.length > 0)
      const parts: Held[][] = []
      for (let at = 0; at < held.length; at += renewedAtOnce) parts.push(held.slice(at, at + renewedAtOnce))
      const renewals = parts.map(part => ({
        names: part.flatMap(claim => renewalKeys(claim, keys)),
        args: [...head(), span, ...part.flatMap(renewalArguments)],
        most: part.length,
      }))
      return Promise.all(
        renewals.map(async ({ names, args, most }) =>
          expectCount(await renewScript.run(runner, names, args), most),
        ),
      ).then(() => {})
    },
  }
}

type Held = Pick<Claim, 'id' | 'counters'>

function renewalKeys({ id, counters }: Held, keys: StoreKeys): string[] {
  return [keys.claim(id), ...counters.map(counter => keys.counter(counter)[1])]
}

function renewalArguments({ id, counters }: Held): string[] {
  return [id, String(counters.length), ...counters.flatMap(heldArguments)]
}

function heldArguments(counter: Counter): string[] {
  const [kind = '', , window = '', take = '', refund = ''] = counterArguments(counter)
  return [kind, kind === 'rate' ? take : window, refund]
}

function microseconds(ms: number): string {
  if (Number.isFinite(ms) && ms > 0) return String(Math.ceil(ms * 1_000))
  throw new TypeError(`ttlMs: got ${ms}, expected milliseconds above 0.`)
}

function expectCount(reply: unknown, most: number): void {
  const count = parseWholeNumber(reply)
  if (count >= 0 && count <= most) return
  throw new Error(`Redis did not answer what its limit script answers: expected a number up to ${most}.`)
}
