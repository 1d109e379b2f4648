// A vendor on loopback that does what the last message says, and tells whether the caller left.
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'

/**
 * Starts it on a free port. `endless()` resolves when the next call comes whose answer does not end, with its `left`: that
 * resolves when its caller has left.
 */
export async function startUpstream() {
  const calls = new EventEmitter()
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) body += piece
    const { messages, stream } = JSON.parse(body)
    const said = messages.at(-1).content
    const ends = !['die', 'drip', 'wait'].includes(said)
    if (!ends) calls.emit('endless', { left: once(response, 'close') })
    if (said === 'refuse') {
      response.writeHead(503, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify({ error: { message: 'busy at 10.0.0.7', type: 'x', code: null, param: null } }),
      )
      return
    }
    if (stream !== true && !ends) return
    if (stream !== true) {
      const message = { role: 'assistant', content: `${said.length} characters` }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = data => response.write(`data: ${data}\n\n`)
    const say = (content, finish_reason = null) =>
      write(JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { content }, finish_reason }] }))
    say('first ')
    if (said === 'die') setTimeout(() => response.destroy(), 50)
    if (said === 'drip') {
      const drops = setInterval(() => say('more '), 100)
      response.once('close', () => clearInterval(drops))
    }
    if (!ends) return
    say('second')
    say('', 'stop')
    write('[DONE]')
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseURL: `http://127.0.0.1:${server.address().port}/v1`,
    endless: async () => (await once(calls, 'endless'))[0],
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
