import { createGateway, type Gateway, models } from '@sluice/core'
import { type Split, sendRawRequest, startUpstream, steps } from '@sluice/testing'
import { mounts } from '../../../../../test/e2e/mounts/mounts.ts'
import type { VendorName } from './recordings.ts'
import { vendors } from './vendors.ts'

/** What a vendor sends. */
export interface Sent {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  /** How the connection ends where the body is not whole: within the body, or by a reset. */
  readonly end?: 'cut' | 'reset'
}

/** A gateway over HTTP, and behind it a vendor that sends what it is told. */
export interface Replay {
  /** Asks for the model `name`, which the vendor answers with what is `sent`, in these pieces. */
  ask(name: string, sent: Sent, split: Split, fields: object): ReturnType<typeof sendRawRequest>
  close(): Promise<void>
}

/**
 * Starts vendor, gateway and server. Time stands still, and each request has the same ids.
 *
 * @param named - the gateway's models, and what the vendor calls each; `undefined` is its usual model.
 */
export async function replaying(
  vendor: VendorName,
  named: Readonly<Record<string, string | undefined>>,
): Promise<Replay> {
  let ids = 0
  let sending: { readonly sent: Sent; readonly split: Split } | undefined
  const upstream = await startUpstream(() => {
    const { sent, split } = sending!
    const { status, headers, bytes, end } = sent
    const whole = [steps.head({ status, headers }), steps.body(bytes, { split })]
    if (end === undefined) return whole
    return [...whole, end === 'cut' ? steps.cut() : steps.reset()]
  })
  const { connect, model } = vendors[vendor]
  let gateway: Gateway
  try {
    const target = connect(upstream.url)
    gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models(
        Object.fromEntries(Object.entries(named).map(([name, own]) => [name, target(own ?? model)])),
      ),
      now: () => 1_800_000_000_000,
      generateId: () => (++ids).toString(16).padStart(8, '0') + 'f'.repeat(24),
      maxAttempts: 1,
      breaker: false,
      // A machine that is busy must not decide whether an error comes before the head or after it.
      stream: { holdMs: 60_000 },
    })
  } catch (error) {
    await upstream.close()
    throw error
  }
  const { port, close } = await mounts['node http']!(gateway)
  return {
    ask(name, sent, split, fields) {
      sending = { sent, split }
      ids = 0
      const messages = [{ role: 'user', content: 'Hello!' }]
      return sendRawRequest({ port, body: { model: name, messages, ...fields } })
    },
    async close() {
      await gateway.close({ drainMs: 1 })
      await close()
      await upstream.close()
    },
  }
}
