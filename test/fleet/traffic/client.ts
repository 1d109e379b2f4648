import { Agent, request } from 'node:http'
import type { ClientEnd } from '../records/records.ts'
import { bodyOf, type Call, tokenAt } from './call.ts'

/** Longer than any answer takes: who waits longer is not answered. */
const patienceMs = 25_000

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

export interface Sent {
  readonly end: ClientEnd
  /** `x-request-id` of the response. */
  readonly requestId: string | undefined
}

/** Sends a call to an origin. Never rejects. */
export function send(call: Call, key: string, origin: string): Promise<Sent> {
  const { stream, leavesAfter } = call
  return new Promise(resolve => {
    let requestId: string | undefined
    const done = (end: ClientEnd) => {
      clearTimeout(patience)
      resolve({ end, requestId })
    }
    const sent = request(`${origin}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: {
        authorization: `Bearer ${call.invalid === 'key' ? 'sk-unknown' : key}`,
        'content-type': 'application/json',
        'x-request-id': call.mark,
      },
    })
    const patience = setTimeout(() => {
      done({ how: 'unanswered', reason: `nothing for ${patienceMs} ms` })
      sent.destroy()
    }, patienceMs)
    sent.once('error', error => done({ how: 'unanswered', reason: error.message }))
    sent.once('response', response => {
      const { statusCode: status = 0 } = response
      requestId = response.headers['x-request-id']?.toString()
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        body += piece
        if (leavesAfter === undefined || !body.includes(JSON.stringify(tokenAt(leavesAfter)))) return
        done({ how: 'disconnected' })
        sent.destroy()
      })
      response.once('error', error => done({ how: 'cut', reason: error.message }))
      response.once('end', () => done(endOf(status, body, stream)))
    })
    sent.end(bodyOf(call))
  })
}

interface Part {
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null
  readonly error?: { readonly code: string | null; readonly type: string }
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string }
    readonly message?: { readonly content: string }
  }[]
}

function endOf(status: number, body: string, stream: boolean): ClientEnd {
  try {
    if (status !== 200) {
      if (!body.startsWith('{')) return { how: 'proxy-error', status }
      const { error } = JSON.parse(body) as Part
      return { how: 'refused', status, code: error?.code ?? error?.type ?? '' }
    }
    const data = stream
      ? [...body.matchAll(/^data: (.*)$/gm)].map(([, text]) => text ?? '').filter(text => text !== '[DONE]')
      : [body]
    const parts = data.map(text => JSON.parse(text) as Part)
    const failed = parts.find(part => part.error !== undefined)?.error
    if (failed !== undefined) return { how: 'failed', code: failed.code ?? failed.type }
    if (stream && !body.endsWith('data: [DONE]\n\n')) return { how: 'cut', reason: 'no [DONE]' }
    const usage = parts.findLast(part => part.usage)?.usage
    const text = parts
      .map(({ choices: [choice] = [] }) => choice?.delta?.content ?? choice?.message?.content ?? '')
      .join('')
    return {
      how: 'completed',
      promptTokens: usage?.prompt_tokens ?? 0,
      completionTokens: usage?.completion_tokens ?? 0,
      text,
    }
  } catch (error) {
    return { how: 'cut', reason: (error as Error).message }
  }
}

/** Milliseconds of a clock that all processes of the machine share, and that never goes back. */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

export function closeClient(): void {
  agent.destroy()
}
