import { setImmediate as turn } from 'node:timers/promises'
import { answerTo } from './answer-to.ts'
import { bytesOf } from './bytes.ts'
import type { Exchange } from './exchange.ts'
import type { FloodStep, HeadStep, ReplyStep, Step, StreamStep } from './script.ts'
import { sleep } from './sleep.ts'

const JSON_TYPE: [string, string] = ['content-type', 'application/json']
const SSE_TYPE: [string, string] = ['content-type', 'text/event-stream; charset=utf-8']
const FLOOD_BLOCK = 64 * 1024

/** Does the steps in order, then ends the answer if none of them did. Throws `ConnectionGone`. */
export async function play(steps: readonly Step[], exchange: Exchange): Promise<void> {
  let ended = false
  for (const step of steps) {
    await act(step, exchange)
    if (step.do === 'cut' || step.do === 'reset' || step.do === 'hang' || exchange.signal.aborted) return
    ended = step.do === 'end' || (ended && step.do === 'wait') || (ended && step.do === 'raw')
  }
  if (!ended) await exchange.end()
}

async function act(step: Step, exchange: Exchange): Promise<void> {
  switch (step.do) {
    case 'reply':
      return reply(step, exchange)
    case 'head':
      return start(step, exchange)
    case 'body':
      if (!exchange.open) await start({ do: 'head' }, exchange)
      return exchange.write(bytesOf(step.data), step)
    case 'stream':
      return stream(step, exchange)
    case 'answer':
      return act(answerTo(exchange.request.json, step.content), exchange)
    case 'flood':
      return flood(step, exchange)
    case 'raw':
      return exchange.raw(bytesOf(step.bytes), step)
    case 'wait':
      return sleep(step.ms, exchange.signal)
    case 'hang':
      return exchange.gone()
    case 'end':
      return exchange.end()
    case 'cut':
      return exchange.cut(step.at !== 'between-chunks', bytesOf(step.partial ?? ''))
    case 'reset':
      return exchange.reset(step.after ?? 10)
  }
}

async function reply(step: ReplyStep, exchange: Exchange): Promise<void> {
  const body = step.body === undefined ? undefined : bodyBytes(step.body)
  const length = step.contentLength ?? body?.length ?? 0
  await exchange.start(step.status ?? 200, body ? [JSON_TYPE] : [], step.headers ?? {}, length)
  if (body) await exchange.write(body, step)
}

function bodyBytes(body: string | Uint8Array | object): Uint8Array {
  return bytesOf(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body))
}

async function start(step: HeadStep, exchange: Exchange): Promise<void> {
  await exchange.start(step.status ?? 200, [SSE_TYPE], step.headers ?? {}, step.framing ?? 'chunked')
}

async function stream(step: StreamStep, exchange: Exchange): Promise<void> {
  if (!exchange.open) {
    await start({ do: 'head', status: step.status ?? 200, headers: step.headers ?? {} }, exchange)
  } else if (step.status !== undefined || step.headers !== undefined) {
    throw new Error('script: stream got a status or headers, but the head was sent already')
  }
  const events = step.events.map(bytesOf)
  // A split is one of the whole body: pieces go across the events.
  if (step.split) await exchange.write(Buffer.concat(events), step)
  else await exchange.writePieces(events, step)
}

async function flood(step: FloodStep, exchange: Exchange): Promise<void> {
  if (!exchange.open) await start({ do: 'head' }, exchange)
  if (exchange.request.method === 'HEAD')
    throw new Error('script: flood got a HEAD request, whose answer has no body')
  const unit = Buffer.from(bytesOf(step.unit ?? floodEvent()))
  if (unit.length === 0) throw new RangeError('script: flood got an empty unit, expected at least one byte')
  const block = Buffer.concat(Array<Buffer>(Math.ceil(FLOOD_BLOCK / unit.length)).fill(unit))
  for (let left = step.bytes ?? Infinity; left > 0 && !exchange.signal.aborted; left -= block.length) {
    await exchange.write(left < block.length ? block.subarray(0, left) : block)
    await turn()
  }
}

function floodEvent(): string {
  const delta = { content: 'flood '.repeat(150) }
  const chunk = { id: 'chatcmpl-flood', object: 'chat.completion.chunk', created: 0, model: 'flood' }
  return `data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
}
