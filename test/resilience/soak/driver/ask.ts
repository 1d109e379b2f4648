import { type Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { idHeader, key } from '../gateway/names.ts'
import { now } from '../process/clock.ts'

/** What a client sends. */
export interface Asking {
  readonly port: number
  readonly id: string
  readonly body: string
  /** Default `/v1`. */
  readonly base?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Keeps its connection for the next one. Default: a connection of its own. */
  readonly agent?: Agent
  /** Each piece as it comes; the client's own reading can be paused in it. */
  readonly onData?: (piece: Buffer, response: IncomingMessage) => void
  /** Reads nothing of the answer. */
  readonly unread?: boolean
  /** Waits for `100 Continue`, and then calls this in place of sending the body. */
  readonly onContinue?: (request: ClientRequest) => void
}

/** What a client was told. */
export interface Told {
  /** 0 where no answer came. */
  readonly status: number
  readonly bytes: number
  /** The last characters of the body, 4,096 at most. */
  readonly tail: string
  readonly ended: 'whole' | 'broken' | 'left'
}

export interface Asked {
  readonly told: Promise<Told>
  /** Resets the connection. Gives the moment before. */
  leave(): number
}

/** Asks the gateway. Never rejects: how it ended is what was told. */
export function ask(asking: Asking): Asked {
  const { port, id, body, agent = false, onData } = asking
  const bytes = Buffer.from(body)
  const sent = request({
    host: '127.0.0.1',
    port,
    agent,
    method: 'POST',
    path: `${asking.base ?? '/v1'}/chat/completions`,
    headers: {
      authorization: `Bearer ${asking.key ?? key}`,
      'content-type': 'application/json',
      'content-length': bytes.length,
      [idHeader]: id,
      ...(asking.onContinue && { expect: '100-continue' }),
      ...asking.headers,
    },
  })
  let left = false
  const told = new Promise<Told>(resolve => {
    let status = 0
    let count = 0
    let tail = ''
    const end = (whole: boolean) =>
      resolve({ status, bytes: count, tail, ended: left ? 'left' : whole ? 'whole' : 'broken' })
    sent.on('error', () => end(false))
    sent.on('response', response => {
      status = response.statusCode ?? 0
      response.on('error', () => end(false)).on('close', () => end(response.complete))
      if (asking.unread === true) return
      response.on('data', (piece: Buffer) => {
        count += piece.length
        tail = (tail + piece.toString('latin1', Math.max(0, piece.length - 4_096))).slice(-4_096)
        onData?.(piece, response)
      })
    })
  })
  const { onContinue } = asking
  if (onContinue === undefined) sent.end(bytes)
  else {
    sent.on('continue', () => onContinue(sent))
    sent.flushHeaders()
  }
  return {
    told,
    leave() {
      left = true
      const at = now()
      if (sent.socket === null) sent.destroy()
      else sent.socket.resetAndDestroy()
      return at
    },
  }
}

/** A sound body; `says` is the upstream's script. */
export function chat(says: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ model: 'plain', messages: [{ role: 'user', content: says }], ...more })
}
