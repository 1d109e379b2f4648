import { connectRawClient, type RawClient } from '@sluice/testing'
import { onTestFinished } from 'vitest'
import type { Site } from '../../../e2e/conformance/site.ts'

/** A raw connection to a service until the test ends. */
export async function connected({ port }: { readonly port: number }, text = ''): Promise<RawClient> {
  const client = await connectRawClient({ port })
  onTestFinished(() => client.close())
  if (text !== '') await client.send(Buffer.from(text, 'latin1'))
  return client
}

/** The head of a request for a completion as bytes on the wire, with these header lines and a good key. */
export function headOf(site: Site, ...lines: string[]): string {
  return bareHeadOf(
    site,
    'Host: a',
    'Authorization: Bearer good-key',
    'Content-Type: application/json',
    ...lines,
  )
}

/** The same with these header lines only. */
export function bareHeadOf(site: Site, ...lines: string[]): string {
  return `POST ${site.pathOf('/chat/completions')} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}

/** A whole request that is in order. */
export function wholeRequest(site: Site, body = JSON.stringify({ model: 'm', messages: [hello] })): string {
  return headOf(site, `Content-Length: ${Buffer.byteLength(body)}`) + body
}

const hello = { role: 'user', content: 'Hello!' }

/** How many answers came by a connection. */
export function answersOn(client: RawClient): number {
  return Buffer.from(client.received).toString('latin1').split('HTTP/1.1 ').length - 1
}
