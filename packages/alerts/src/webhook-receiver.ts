import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An alert as a webhook got it. */
export interface ReceivedAlert {
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** For tests: a webhook on this machine. */
export interface WebhookReceiver {
  readonly url: string
  readonly received: ReceivedAlert[]
  close(): Promise<void>
}

/** Starts a webhook that answers as `answer` says. Default: 204. */
export async function startReceiver(
  answer: (response: ServerResponse, count: number) => void = response => response.writeHead(204).end(),
): Promise<WebhookReceiver> {
  const received: ReceivedAlert[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    received.push({ headers: request.headers, body })
    answer(response, received.length)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
