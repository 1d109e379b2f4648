import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { connectRawClient, type RawClient } from '@sluice/testing'
import { onTestFinished } from 'vitest'

/** One message, as a server got it from a raw client. */
export interface Received {
  readonly client: RawClient
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
}

/** Listens until the test ends; gives the port. */
export async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** A raw client of a listener, and whatever it sends at once; both last until the test ends. */
export async function clientOf(listener: RequestListener, text = '', paused = false): Promise<RawClient> {
  const client = await connectRawClient({ port: await listening(listener), paused })
  onTestFinished(() => client.close())
  if (text !== '') await client.send(text)
  return client
}

/** Sends bytes to a server and gives the message that comes of them, unanswered. */
export async function receive(text: string): Promise<Received> {
  let got: (message: Omit<Received, 'client'>) => void = () => {}
  const message = new Promise<Omit<Received, 'client'>>(resolve => {
    got = resolve
  })
  const client = await clientOf((incoming, response) => got({ incoming, response }), text)
  return { client, ...(await message) }
}
