// An upstream that streams, in a process of its own. The first message of a request says how: `{"events":203}` as fast as
// turns go by, each event a write of its own; with `silent` it does not end then; with `everyMs` one event after so many
// milliseconds, until the reader leaves.
// An event is as OpenAI writes it; its text is when it was written, in microseconds of the machine's monotonic clock.
import { createServer } from 'node:http'

const head =
  'data: {"id":"chatcmpl-A","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06",' +
  '"service_tier":"default","system_fingerprint":"fp_1","choices":['
const tail = '],"usage":null,"obfuscation":"'
const end = '"}\n\n'
const choice = (delta, reason) => `{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${reason}}`
const role = head + choice('{"role":"assistant","content":"","refusal":null}', 'null') + tail + end
const finish = head + choice('{}', '"stop"') + tail + end
const usage = `${head}],"usage":{"prompt_tokens":9,"completion_tokens":200,"total_tokens":209}}\n\n`

function word(now = process.hrtime.bigint() / 1000n) {
  return head + choice(`{"content":" ${now}"}`, 'null') + tail + 'abcdefgh'.slice(Number(now % 8n)) + end
}

const server = createServer((req, res) => {
  let body = ''
  req.setEncoding('utf8').on('data', text => {
    body += text
  })
  req.on('end', () => {
    const { events = 0, silent = false, everyMs } = JSON.parse(JSON.parse(body).messages[0].content)
    res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    res.write(role)
    if (silent) return hurryToSilence(res, events - 1)
    if (everyMs === undefined) return hurry(res, events - 1)
    const timer = setInterval(() => res.write(word()), everyMs)
    res.on('close', () => clearInterval(timer))
  })
})

function hurry(res, left) {
  setImmediate(() => {
    if (left === 1) {
      res.write(usage)
      return res.end('data: [DONE]\n\n')
    }
    res.write(left === 2 ? finish : word())
    hurry(res, left - 1)
  })
}

/** The text of the last event is `0`, which no time is. */
function hurryToSilence(res, left) {
  if (left === 0) return
  setImmediate(() => {
    res.write(word(left === 1 ? 0n : undefined))
    hurryToSilence(res, left - 1)
  })
}

server.keepAliveTimeout = 0
server.on('connection', socket => socket.setNoDelay(true))
server.listen(0, '127.0.0.1', 16_384, () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())
