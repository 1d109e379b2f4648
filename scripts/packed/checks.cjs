const assert = require('node:assert/strict')
const http = require('node:http')

/** Listens on a free port, hands its origin to `use`, and closes. */
async function withServer(listener, use) {
  const server = http.createServer(listener)
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${server.address().port}`)
  } finally {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

/** Posts a chat completion and returns status and text of the answer. */
async function complete(origin, body, key = 'sk-test') {
  const response = await fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Say something about water.' }], ...body }),
  })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

/** A completion streamed, a completion whole, and a stranger refused, through one mount. */
async function checkMount(name, listener) {
  await withServer(listener, async origin => {
    const streamed = await complete(origin, { model: 'demo', stream: true })
    assert.equal(streamed.status, 200, streamed.text)
    assert.match(streamed.type, /^text\/event-stream/)
    const events = streamed.text.split('\n\n').filter(event => event.startsWith('data: '))
    assert.equal(events.pop(), 'data: [DONE]')
    const chunks = events.map(event => JSON.parse(event.slice('data: '.length)))
    const content = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
    assert.ok(chunks.length > 3 && content.length > 0, streamed.text)

    const whole = await complete(origin, { model: 'demo' })
    assert.equal(whole.status, 200, whole.text)
    assert.equal(JSON.parse(whole.text).choices[0].message.content, content)

    assert.equal((await complete(origin, { model: 'demo' }, 'sk-stranger')).status, 401)

    const respond = body =>
      fetch(`${origin}/v1/responses`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', input: 'Say something about water.', ...body }),
      }).then(response => response.json())
    const first = await respond({})
    assert.equal(first.output?.[0]?.content[0].text, content, JSON.stringify(first))
    assert.equal((await respond({ previous_response_id: first.id })).previous_response_id, first.id)
    console.log(`    ${name}: streamed ${chunks.length} chunks`)
  })
}

/** A call that leaves the process takes undici's pool, not `fetch`, which would add headers of its own. */
async function checkUpstream({ createGateway, apiKeys, models }, { openaiCompatible }) {
  let seen
  const upstream = (request, response) => {
    seen = request.headers
    request.resume()
    response.setHeader('content-type', 'application/json')
    const message = { role: 'assistant', content: 'Hi' }
    response.end(JSON.stringify({ id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }] }))
  }
  await withServer(upstream, async origin => {
    const provider = openaiCompatible({ name: 'there', baseURL: `${origin}/v1`, apiKey: 'secret' })
    const gateway = createGateway({
      authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
      route: models({ demo: provider('m') }),
    })
    const response = await gateway.fetch(
      new Request('http://in.process/v1/chat/completions', {
        method: 'POST',
        headers: { authorization: 'Bearer sk-test', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] }),
      }),
    )
    const text = await response.text()
    assert.equal(response.status, 200, text)
    assert.equal(JSON.parse(text).choices[0].message.content, 'Hi')
    assert.equal(seen.authorization, 'Bearer secret')
    assert.equal(seen['sec-fetch-mode'], undefined, 'the call was made by fetch, not by undici')
    await gateway.close()
    console.log('    upstream: called by undici')
  })
}

function demoGateway({ createGateway, apiKeys, models }, { local }) {
  return createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test' }]),
    route: models({ demo: local()('demo') }),
  })
}

module.exports = { checkMount, checkUpstream, demoGateway }
