// A vendor that streams: each event in a write of its own, one in each turn of the event loop. One that is asked for
// `abort-7` goes on until its connection is closed, and tells when that was.
import { once } from 'node:events'
import { createServer } from 'node:http'

const words = Number(process.argv[2])
const frames = framesOf(words)
const server = createServer(async (req, res) => {
  let text = ''
  for await (const piece of req.setEncoding('utf8')) text += piece
  const abort = /abort-(\d+)/.exec(text)?.[1]
  res.writeHead(200, { 'content-type': 'text/event-stream' })
  if (abort !== undefined) return endless(res, Number(abort))
  let at = 0
  const next = () => {
    const more = res.write(frames[at++])
    if (at === frames.length) res.end()
    else if (more) setImmediate(next)
    else once(res, 'drain').then(next, () => {})
  }
  next()
})

/** A word each millisecond. */
function endless(res, abort) {
  let at = 0
  const timer = setInterval(() => res.write(frames[1 + (at++ % words)]), 1)
  res.once('close', () => {
    clearInterval(timer)
    process.send({ abort, closed: `${process.hrtime.bigint()}` })
  })
}

/** A stream as a hosted vendor sends it: its role, each word, its end, what was used, and the end mark. */
function framesOf(words) {
  const event = (choices, usage = null) => ({
    id: 'chatcmpl-CfTq0a8ZxS3uE5hVn1kQyB2wLr7Pd',
    object: 'chat.completion.chunk',
    created: 1790000000,
    model: 'gpt-4o-2024-08-06',
    service_tier: 'default',
    system_fingerprint: 'fp_b7a8f1c2d3',
    choices,
    usage,
  })
  const piece = (delta, finish_reason = null) => event([{ index: 0, delta, logprobs: null, finish_reason }])
  const used = { prompt_tokens: 12, completion_tokens: words, total_tokens: 12 + words }
  const events = [
    piece({ role: 'assistant', content: '', refusal: null }),
    ...Array.from({ length: words }, (_, at) => piece({ content: ` word${at % 10}` })),
    piece({}, 'stop'),
    event([], used),
  ]
  return [...events.map(value => JSON.stringify(value)), '[DONE]'].map(data =>
    Buffer.from(`data: ${data}\n\n`),
  )
}

server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('disconnect', () => process.exit())
