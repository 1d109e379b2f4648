// A vendor that speaks the Messages API: whole answers, and streams with each event in a write of its own, one in each turn
// of the event loop.
import { once } from 'node:events'
import { createServer } from 'node:http'

const words = Number(process.argv[2])
const usage = { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }
const message = {
  id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-4-5-20251101',
  stop_sequence: null,
}
const whole = JSON.stringify({
  ...message,
  content: [{ type: 'text', text: '12 * 7 = 84. Is there more to reckon?' }],
  stop_reason: 'end_turn',
  usage: { ...usage, output_tokens: 13 },
})
const frames = framesOf()
const server = createServer(async (req, res) => {
  let text = ''
  for await (const piece of req.setEncoding('utf8')) text += piece
  if (!text.includes('"stream":true')) {
    res.writeHead(200, { 'content-type': 'application/json' }).end(whole)
    return
  }
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  let at = 0
  const next = () => {
    const more = res.write(frames[at++])
    if (at === frames.length) res.end()
    else if (more) setImmediate(next)
    else once(res, 'drain').then(next, () => {})
  }
  next()
})

/** A stream as the vendor sends it: its start, a block with each word, its end, and what was used. */
function framesOf() {
  const start = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  const events = [
    { type: 'message_start', message: start },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...Array.from({ length: words }, (_, at) => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: ` word${at % 10}` },
    })),
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: words },
    },
    { type: 'message_stop' },
  ]
  return events.map(event => Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
}

server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('disconnect', () => process.exit())
