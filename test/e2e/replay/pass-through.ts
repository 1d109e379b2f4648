import { createGateway, models } from '@sluice/core'
import type { ProviderInstance } from '@sluice/providers'
import {
  type RecordedRequest,
  readSse,
  type Split,
  sendRawRequest,
  startUpstream,
  steps,
  type Upstream,
} from '@sluice/testing'
import { afterAll, inject } from 'vitest'
import { mounts } from '../mounts/mounts.ts'
import type { Answer, Exchange } from './exchanges.ts'

/** A gateway over HTTP, and behind it a vendor of the same dialect that answers as it did when it was recorded. */
export interface PassThrough {
  /**
   * Sends a request, which the vendor answers in these pieces. Resolves with the gateway's answer and what the vendor got.
   *
   * @param text - the body.
   * @param answer - what the vendor answers.
   */
  ask(exchange: Exchange, text: string, answer: Answer, split?: Split): Promise<Asked>
}

/** The answer to a request. */
export interface Asked {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** What the vendor got. */
  readonly requests: readonly RecordedRequest[]
}

/** What a vendor's model is called in front of the gateway. */
export const publicName = (model: string) => `our/${model}`

/**
 * Starts vendor, gateway and server, until the test file ends. Each model is there by its own name and by a public one.
 *
 * @param connect - returns the vendor, where its server is at this URL.
 */
export async function passingThrough(
  exchanges: readonly Exchange[],
  connect: (upstream: Upstream) => ProviderInstance,
): Promise<PassThrough> {
  let sending: { readonly answer: Answer; readonly split: Split } | undefined
  const upstream = await startUpstream(() => {
    const { answer, split } = sending!
    const { status, contentType, bytes } = answer
    return [steps.head({ status, headers: { 'content-type': contentType } }), steps.body(bytes, { split })]
  })
  const vendor = connect(upstream)
  const names = [...new Set(['none', ...exchanges.map(({ body }) => body.model)])]
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models(
      Object.fromEntries(
        names.flatMap(name => [
          [name, vendor(name)],
          [publicName(name), vendor(name)],
        ]),
      ),
    ),
    maxAttempts: 1,
    breaker: false,
  })
  const { port, close } = await mounts['node http']!(gateway)
  afterAll(async () => {
    await gateway.close({ drainMs: 1 })
    await close()
    await upstream.close()
  })
  return {
    async ask({ path }, text, answer, split = 'whole') {
      sending = { answer, split }
      const before = upstream.requests.length
      const { status, headers, body } = await sendRawRequest({ port, path: `/v1${path}`, body: text })
      return { status, headers, body, requests: upstream.requests.slice(before) }
    },
  }
}

/** Byte for byte takes long: what is longer than this comes in random pieces only. */
const mostBytes = 6_000

/** Returns in which pieces a vendor sends an answer. */
export function splitsOf({ bytes }: Answer): readonly Split[] {
  if (!inject('exhaustive')) return [{ seed: 8, max: 700 }]
  return bytes.length <= mostBytes ? ['whole', { seed: 7 }, 'bytes'] : ['whole', { seed: 8, max: 700 }]
}

/** Returns the events of a stream, with the text of their data. */
export async function eventsOf(text: string): Promise<readonly { event: string; data: string }[]> {
  const { events } = await readSse(text, { allow: ['event', 'crlf', 'blank'] })
  return events.map(({ event, data }) => ({ event, data }))
}
