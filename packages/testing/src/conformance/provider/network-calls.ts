import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

/** The diagnostics channels of Node for new connections and for requests on open ones. */
const channels = ['net.client.socket', 'undici:request:create', 'http.client.request.start']

/** Runs `action`, and returns which of the channels it published to. Calls of other code are not counted. */
export async function callsMade(action: () => Promise<unknown>): Promise<string[]> {
  const inside = new AsyncLocalStorage<true>()
  const made: string[] = []
  const record = (_: unknown, channel: string | symbol) => {
    if (inside.getStore() === true) made.push(String(channel))
  }
  for (const channel of channels) subscribe(channel, record)
  try {
    await inside.run(true, action)
  } finally {
    for (const channel of channels) unsubscribe(channel, record)
  }
  return made
}
