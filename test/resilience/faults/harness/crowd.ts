import { connectRawClient, type RawClient, requestBytes, type Upstream } from '@sluice/testing'
import { onTestFinished } from 'vitest'
import { base, headersOf, type Site } from '../../../e2e/conformance/site.ts'

/** A client that has asked for a completion and reads what comes; it is closed when the test ends. */
export async function asking(
  site: Site,
  fields: object,
  paused = false,
  headers: Readonly<Record<string, string>> = {},
): Promise<RawClient> {
  const client = await connectRawClient({ port: site.port, paused })
  onTestFinished(() => client.close())
  await client.send(chatBytes(site, fields, headers))
  return client
}

/** A request for a completion as it goes over the wire. */
export function chatBytes(
  site: Site,
  fields: object,
  headers: Readonly<Record<string, string>> = {},
): Uint8Array {
  return requestBytes({
    path: site.pathOf('/chat/completions'),
    headers: headersOf({ headers }),
    body: { ...base, ...fields },
  })
}

/** So many of them, each on a connection of its own. */
export function crowd(site: Site, count: number, fields: object): Promise<RawClient[]> {
  return Promise.all(Array.from({ length: count }, () => asking(site, fields)))
}

/** All of them leave at once: every other one by a reset, the rest by closing. */
export async function leaveAll(clients: readonly RawClient[]): Promise<void> {
  const closed = clients.map((client, at) => (at % 2 === 0 ? client.reset() : client.close()))
  await Promise.all(closed)
}

/**
 * Does something, and resolves when the upstream has seen its calls `from` to `to` closed, with the longest time that
 * one of them took, in milliseconds.
 */
export async function slowestClose(
  upstream: Upstream,
  [from, to]: readonly [number, number],
  act: () => Promise<void>,
): Promise<number> {
  const calls = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const closing = calls.map(n => upstream.waitForClose(n))
  await act()
  return Math.max(...(await Promise.all(closing)))
}
