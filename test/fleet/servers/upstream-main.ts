import { createServer, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, callIn, textOf, tokenAt, usageOf } from '../traffic/call.ts'

// A model that answers what each request says, and prints a line when a call arrives and when it has ended.

const [port, host] = process.argv.slice(2)

createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
  response.on('error', () => {})
  if (request.method === 'GET') {
    response.end('ready')
    return
  }
  text(request).then(
    body => answer(callIn(body), response),
    // The request broke off: no call arrived.
    () => {},
  )
}).listen(Number(port), host)

async function answer(call: Call, response: ServerResponse): Promise<void> {
  const { mark } = call
  print({ mark, arrivedAt: now() })
  const sent = call.stream ? await stream(call, response) : await complete(call, response)
  print({ mark, sent, finished: sent === call.tokens })
}

async function stream(call: Call, response: ServerResponse): Promise<number> {
  const { mark: id, tokens, paceMs } = call
  const event = (fields: object) =>
    response.write(
      `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1, model: 'm', ...fields })}\n\n`,
    )
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (let sent = 0; sent < tokens; sent++) {
    if (response.destroyed) return sent
    event({
      choices: [{ index: 0, delta: { role: 'assistant', content: tokenAt(sent) }, finish_reason: null }],
    })
    await sleep(paceMs)
  }
  if (response.destroyed) return tokens - 1
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  event({ choices: [], usage: wireUsage(call) })
  response.end('data: [DONE]\n\n')
  return tokens
}

async function complete(call: Call, response: ServerResponse): Promise<number> {
  await sleep(call.tokens * call.paceMs)
  if (response.destroyed) return 0
  const message = { role: 'assistant', content: textOf(call) }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      id: call.mark,
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
      usage: wireUsage(call),
    }),
  )
  return call.tokens
}

function wireUsage(call: Call): object {
  const { promptTokens, completionTokens } = usageOf(call)
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}

/** Milliseconds of a clock that all processes of the machine share, and that never goes back. */
function now(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
