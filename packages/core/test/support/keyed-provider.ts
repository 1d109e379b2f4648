import type { Call, Provider, ProviderKey, Reply, Target } from '../../src/contracts/provider.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import { stop, stream, text, whole } from './scripted-gateway.ts'

type Behaviour = (call: Call) => Reply | Promise<Reply>

/** A vendor that accepts calls by their key, as a test says. */
export interface KeyedVendor {
  readonly target: Target
  /** The keys of the calls, in order. */
  readonly used: string[]
  /** From now on, calls with a key get this. */
  set(key: string, behaviour: Behaviour): void
}

/** The secret of a key: no event and no message may contain it. */
export const secretOf = (key: string) => `sk-secret-${key.replace(' ', '-')}-0123456789`

/** Keys of the same weight, by their names. */
export const equalKeys = (...ids: string[]): ProviderKey[] => ids.map(id => ({ id, weight: 1 }))

/** Answers with the name of the key. */
export const accepted: Behaviour = ({ key = 'none', input }) =>
  input.stream === true ? stream([text(key)], [stop]) : whole(key)

/** A vendor's error for a key. */
export const rejected =
  (status: number, retryAfterMs?: number, code?: string): Behaviour =>
  ({ key = 'none' }) =>
    Promise.reject(
      new UpstreamError('The upstream failed.', {
        kind: 'refused',
        status,
        ...(retryAfterMs !== undefined && { retryAfterMs }),
        ...(code !== undefined && { code }),
        vendorMessage: `Incorrect API key provided: ${secretOf(key)}.`,
        cause: new Error(`sent ${secretOf(key)}`),
      }),
    )

export function keyedVendor(keys: readonly ProviderKey[], more: Partial<Provider> = {}): KeyedVendor {
  const behaviours = new Map<string, Behaviour>()
  const used: string[] = []
  const provider: Provider = {
    name: 'north',
    keys,
    encode: ({ key = 'none' }) => ({
      method: 'POST',
      url: 'keyed:',
      headers: { authorization: `Bearer ${secretOf(key)}` },
    }),
    transport: async ({ headers }) => {
      const id = keys.find(key => headers.authorization === `Bearer ${secretOf(key.id)}`)?.id ?? 'none'
      used.push(id)
      return { status: 200, headers: { get: () => null }, body: (async function* () {})() }
    },
    decode: (_, call) => (behaviours.get(call.key ?? 'none') ?? accepted)(call),
    ...more,
  }
  return {
    target: { provider, model: 'upstream-model' },
    used,
    set: (key, behaviour) => void behaviours.set(key, behaviour),
  }
}
