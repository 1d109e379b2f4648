import { steps } from '@sluice/testing'
import { type ConsoleService, callerKey } from './service.ts'

/** Sends a request that no upstream answers. Resolves when it is there; `leave` disconnects its client. */
export async function stuckRequest({ east, chat }: ConsoleService): Promise<{ leave(): Promise<void> }> {
  east.respondWith(steps.hang())
  const sent = east.requests.length + 1
  const controller = new AbortController()
  const response = fetch(chat, {
    method: 'POST',
    signal: controller.signal,
    headers: { authorization: `Bearer ${callerKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'stuck', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  const gone = response.then(
    () => Promise.reject(new Error('It was answered.')),
    () => undefined,
  )
  await east.waitForRequest(sent)
  return {
    leave: () => {
      controller.abort()
      return gone
    },
  }
}
