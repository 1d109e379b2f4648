import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type EventEmitter, getEventListeners } from 'node:events'
import { type IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished } from 'vitest'

/** What requests leave behind in the process, seen from outside of the gateway. */
export interface Leftovers {
  /** Also watches a signal: no listener may be left on it. */
  watch(signal: AbortSignal): void
  /**
   * Resolves when nothing is left of the requests since the start: no socket, no timer, no listener on a message or a
   * signal, and no message that something still holds. Rejects after 5 seconds with what there is.
   */
  expectNone(): Promise<void>
}

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** The most messages that the engine's own caches may hold. */
const heldMost = 2

/** Starts to watch, until the test ends. Sockets that are idle now, such as one kept to the upstream, do not count. */
export function watchLeftovers(): Leftovers {
  const before = resources()
  let emitters: { readonly emitter: EventEmitter; readonly counts: Map<string | symbol, number> }[] = []
  let signals: AbortSignal[] = []
  const held: WeakRef<object>[] = []
  const heard = (message: unknown) => {
    const { request, response } = message as Started
    held.push(new WeakRef(request), new WeakRef(response))
    for (const emitter of [request, response]) emitters.push({ emitter, counts: listenersOf(emitter) })
  }
  subscribe('http.server.request.start', heard)
  onTestFinished(() => void unsubscribe('http.server.request.start', heard))

  const tooMany = () => [
    ...[...resources()].filter(([name, count]) => count > (before.get(name) ?? 0)).map(([name]) => name),
    ...emitters.flatMap(({ emitter, counts }) =>
      [...listenersOf(emitter)]
        .filter(([name, count]) => count > (counts.get(name) ?? 0))
        .map(([name]) => `${emitter.constructor.name} ${String(name)}`),
    ),
    ...signals.flatMap(signal => getEventListeners(signal, 'abort').map(() => 'signal abort')),
  ]

  return {
    watch: signal => void signals.push(signal),
    async expectNone() {
      await within(() => tooMany().length === 0)
      expect(tooMany(), 'left behind').toEqual([])
      expect(held.length, 'messages watched').toBeGreaterThan(0)
      emitters = []
      signals = []
      const alive = () => held.filter(it => it.deref() !== undefined).length
      await within(() => {
        collect()
        return alive() <= heldMost
      })
      expect(alive(), 'messages still held').toBeLessThanOrEqual(heldMost)
    },
  }
}

function resources(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of process.getActiveResourcesInfo()) {
    if (name === 'Timeout' || name === 'TCPSocketWrap') counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** Node and Koa 3 leave listeners for a response's own end on one that is over; they go with it. */
const ofAnEnd = ['finish', 'end', 'close', 'error', 'socket']

function listenersOf(emitter: EventEmitter): Map<string | symbol, number> {
  const ending = emitter instanceof ServerResponse ? ofAnEnd : []
  const names = emitter.eventNames().filter(name => !ending.includes(String(name)))
  return new Map(names.map(name => [name, emitter.listenerCount(name)]))
}

/** Tries in each turn of the event loop, for 5 seconds: a timer of its own would count. */
async function within(met: () => boolean): Promise<void> {
  const until = performance.now() + 5_000
  while (!met() && performance.now() < until) await turn()
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
