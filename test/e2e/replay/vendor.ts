import { createGateway, type Gateway, models } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { type Split, sendRawRequest, startUpstream, steps } from '@sluice/testing'
import { afterAll } from 'vitest'
import { mounts } from '../mounts/mounts.ts'
import type { Recording } from './recordings.ts'

/** A gateway over HTTP, and behind it a vendor that answers with recordings: each is a model by its name. */
export interface Replay {
  readonly baseURL: string
  /** Asks for a recording, which the vendor sends in these pieces. */
  ask(recording: Recording, split: Split, fields?: object): ReturnType<typeof sendRawRequest>
}

/** Starts vendor, gateway and server, until the test file ends. Ids and time stand still. */
export async function replaying(recordings: readonly Recording[]): Promise<Replay> {
  let split: Split = 'whole'
  const byName = new Map(recordings.map(recording => [recording.name, recording]))
  const upstream = await startUpstream(({ json }) => {
    const { status, contentType, bytes } = byName.get(String(json?.model))!
    return [steps.head({ status, headers: { 'content-type': contentType } }), steps.body(bytes, { split })]
  })
  const vendor = openaiCompatible({ name: 'vendor', baseURL: upstream.baseURL })
  const gateway: Gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models(Object.fromEntries(['none', ...byName.keys()].map(name => [name, vendor(name)]))),
    now: () => 1_800_000_000_000,
    generateId: () => '0123456789abcdef0123456789abcdef',
    // Each recorded error is told as it is.
    retry: false,
    breaker: false,
  })
  const { port, baseURL, close } = await mounts['node http']!(gateway)
  afterAll(async () => {
    await gateway.close({ drainMs: 1 })
    await close()
    await upstream.close()
  })
  return {
    baseURL,
    ask: ({ name }, how, fields = {}) => {
      split = how
      const messages = [{ role: 'user', content: 'Hello!' }]
      return sendRawRequest({ port, body: { model: name, messages, logprobs: true, ...fields } })
    },
  }
}
