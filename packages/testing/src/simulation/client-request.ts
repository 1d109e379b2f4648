import {
  type DisconnectListener,
  type DisconnectSource,
  disconnectSourceKey,
  type HostBody,
} from '@sluice/core/adapter'
import { markerText } from './prompt-marker.ts'
import type { PlannedRequest } from './traffic.ts'

/** The longest prompt text, in characters. What more a prompt has is in its marker: above 32 kB core computes digests off thread. */
const maxPromptLength = 24_000
const filler = 'word '.repeat(maxPromptLength / 5)

/** A request as an adapter makes it, without the cost of a native `Request`, of which it has what a gateway reads. */
export class ClientRequest implements DisconnectSource {
  readonly method = 'POST'
  readonly url: string
  readonly headers: Headers
  readonly hostBody: HostBody
  disconnected = false
  #listeners: DisconnectListener[] = []
  #controller: AbortController | undefined

  constructor(url: string, headers: Headers, body: string) {
    this.url = url
    this.headers = headers
    this.hostBody = { kind: 'bytes', bytes: Buffer.from(body) }
  }

  get [disconnectSourceKey](): this {
    return this
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.disconnected) this.#controller.abort()
    }
    return this.#controller.signal
  }

  onDisconnect(listener: DisconnectListener): void {
    this.#listeners.push(listener)
  }

  offDisconnect(listener: DisconnectListener): void {
    this.#listeners = this.#listeners.filter(each => each !== listener)
  }

  /** The client closes its connection. */
  disconnect(): void {
    if (this.disconnected) return
    this.disconnected = true
    this.#controller?.abort(new DOMException('The client disconnected.', 'AbortError'))
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener.clientDisconnected()
  }
}

/** Returns the JSON body of a request. */
export function requestBody(planned: PlannedRequest, request: number, attempt: number): string {
  const { model, promptTokens, completionTokens, stream, group } = planned
  const marker = markerText({ request, attempt, promptTokens, completionTokens })
  // About four characters per token, as the gateway estimates them.
  const length = Math.min(Math.max(0, promptTokens * 4 - marker.length), maxPromptLength)
  const content = `${marker} ${filler.slice(0, length)}`
  const maxTokens = group.maxTokens ?? (group.dialect === 'messages' ? 4_096 : undefined)
  const bound = maxTokens === undefined ? '' : `,"max_tokens":${maxTokens}`
  const streamed = stream ? ',"stream":true' : ''
  return `{"model":${JSON.stringify(model)},"messages":[{"role":"user","content":"${content}"}]${bound}${streamed}}`
}
