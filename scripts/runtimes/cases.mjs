// What every runtime has to show: each case asks a gateway over HTTP, and throws where it is not as it should be.
import assert from 'node:assert/strict'
import { ask, post, there } from './ask.mjs'
import { cutOff, leaveStream, leaveWhole } from './leave.mjs'

const key = { authorization: 'Bearer sk-test' }

async function expectRefusal(response, status, code) {
  const text = await response.text()
  assert.equal(response.status, status, text)
  assert.match(response.headers.get('content-type'), /^application\/json/)
  assert.match(response.headers.get('x-request-id'), /^req_/)
  const { error } = JSON.parse(text)
  assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'])
  assert.equal(error.code, code)
  return error
}

/** The text of a stream, and what it ended with. */
function eventsOf(text) {
  const events = text
    .split('\n\n')
    .filter(event => event.startsWith('data: '))
    .map(event => event.slice(6))
  const chunks = events.filter(event => event.startsWith('{')).map(event => JSON.parse(event))
  const content = chunks.map(chunk => chunk.choices?.[0]?.delta.content ?? '').join('')
  return { content, last: events.at(-1), events }
}

export const cases = {
  whole: async site => {
    const response = await ask(site)
    assert.equal(response.status, 200)
    const { choices, usage } = await response.json()
    assert.ok(choices[0].message.content.length > 0)
    assert.ok(usage.total_tokens > 0)
  },
  stream: async site => {
    const response = await ask(site, { stream: true })
    assert.match(response.headers.get('content-type'), /^text\/event-stream/)
    const { content, last, events } = eventsOf(await response.text())
    assert.equal(last, '[DONE]')
    assert.ok(events.length > 3 && content.length > 0)
  },
  messages: async site => {
    const messages = [{ role: 'user', content: 'Say hello.' }]
    const send = more => {
      const body = JSON.stringify({ model: 'demo', max_tokens: 99, messages, ...more })
      return post(site, '/messages?beta=true', body)
    }
    const response = await send({})
    assert.match(response.headers.get('request-id'), /^req_/)
    const { content, usage } = await response.json()
    assert.deepEqual(content, [{ type: 'text', text: 'hello.' }])
    assert.ok(usage.output_tokens > 0)
    const text = await (await send({ stream: true })).text()
    assert.match(
      text,
      /^event: message_start\n[\s\S]*event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/,
    )
    const wrong = await send({ model: 'none' })
    assert.deepEqual((await wrong.json()).error, { type: 'not_found_error', message: 'model: none' })
  },
  responses: async site => {
    const send = more =>
      post(site, '/responses', JSON.stringify({ model: 'demo', input: 'Say hello.', ...more }))
    const first = await (await send({})).json()
    assert.match(first.id, /^resp_/)
    assert.equal(first.output[0].content[0].text, 'hello.')
    const text = await (await send({ previous_response_id: first.id, stream: true })).text()
    assert.match(
      text,
      /^event: response\.created\n[\s\S]*event: response\.completed\n.+\n\ndata: \[DONE\]\n\n$/,
    )
    const of = (path, method = 'GET', authorization = key.authorization) =>
      fetch(`${site.baseURL}/responses/${path}`, { method, headers: { authorization } })
    assert.deepEqual(await (await of(first.id)).json(), first)
    assert.equal((await of(first.id, 'GET', 'Bearer sk-limited')).status, 404)
    assert.equal((await (await of(`${first.id}/input_items`)).json()).data.length, 1)
    assert.equal((await (await of(first.id, 'DELETE')).json()).deleted, true)
    await expectRefusal(await of(first.id), 404, null)
    const counted = await post(
      site,
      '/responses/input_tokens',
      JSON.stringify({ model: 'demo', input: 'Hi' }),
    )
    assert.ok((await counted.json()).input_tokens > 0)
    await expectRefusal(await send({ model: 'none' }), 400, 'model_not_found')
  },
  embeddings: async site => {
    const body = JSON.stringify({
      model: 'demo',
      input: ['a', 'b'],
      dimensions: 4,
      encoding_format: 'base64',
    })
    const { data } = await (await post(site, '/embeddings', body)).json()
    assert.deepEqual(
      data.map(({ embedding }) => atob(embedding).length),
      [16, 16],
    )
  },
  models: async site => {
    const response = await fetch(`${site.baseURL}/models`, { headers: key })
    assert.deepEqual(
      (await response.json()).data.map(({ id }) => id),
      ['demo', 'there'],
    )
  },
  described: async site => {
    const origin = site.baseURL.slice(0, -'/v1'.length)
    const response = await fetch(`${origin}/openapi.json`)
    const { openapi, paths, servers } = await response.json()
    assert.match(openapi, /^3\.1/)
    const told = new URL(`${servers?.[0].url ?? ''}${Object.keys(paths)[0]}`, origin)
    assert.equal(told.href, `${site.baseURL}/chat/completions`)
  },
  400: async site => {
    await expectRefusal(await ask(site, { temperature: 3 }), 400, 'decimal_above_max_value')
    await expectRefusal(await ask(site, '{"model":'), 400, null)
  },
  401: async site => {
    const wrong = await ask(site, {}, { key: 'sk-wrong' })
    assert.match(wrong.headers.get('www-authenticate'), /^Bearer/)
    await expectRefusal(wrong, 401, 'invalid_api_key')
  },
  404: async site => {
    await expectRefusal(await ask(site, { model: 'none' }), 404, 'model_not_found')
    await expectRefusal(await fetch(`${site.baseURL}/nothing`, { headers: key }), 404, null)
  },
  429: async site => {
    const limited = { key: 'sk-limited' }
    const first = await ask(site, {}, limited)
    assert.equal(first.headers.get('x-ratelimit-remaining-requests'), '0', await first.text())
    const second = await ask(site, {}, limited)
    assert.equal(second.headers.get('x-ratelimit-limit-requests'), '1')
    assert.ok(second.headers.has('x-ratelimit-reset-requests') && second.headers.has('x-should-retry'))
    await expectRefusal(second, 429, 'rate_limit_exceeded')
  },
  'big body': async site => {
    const content = 'é'.repeat(1_000_000)
    const response = await ask(site, there(content))
    const text = await response.text()
    assert.equal(response.status, 200, text)
    assert.equal(JSON.parse(text).choices[0].message.content, `${content.length} characters`)
  },
  'upstream, streamed': async site => {
    const { content, last } = eventsOf(await (await ask(site, there('Hello', { stream: true }))).text())
    assert.deepEqual([content, last], ['first second', '[DONE]'])
  },
  'upstream refuses': async site => {
    const { message } = await expectRefusal(await ask(site, there('refuse')), 503, 'server_is_overloaded')
    assert.doesNotMatch(message, /10\.0\.0\.7/)
  },
  'upstream dies': async site => {
    const { content, last } = eventsOf(await (await ask(site, there('die', { stream: true }))).text())
    assert.equal(content, 'first ')
    assert.equal(JSON.parse(last).error.code, 'bad_gateway')
  },
  'client leaves stream': async site => {
    await leaveStream(site, 'drip')
  },
  'client leaves silence': async site => {
    await leaveStream(site, 'wait')
  },
  'client leaves whole': leaveWhole,
  'client is cut off': cutOff,
}
