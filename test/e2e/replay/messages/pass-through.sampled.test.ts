import { anthropic } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { type Answer, answeredBy, present, skipped } from '../exchanges.ts'
import { eventsOf, passingThrough, publicName, splitsOf } from '../pass-through.ts'
import { exchanges } from './exchanges.ts'

const { ask } = await passingThrough(exchanges, ({ url }) =>
  anthropic({ apiKey: 'vendor-key', baseURL: url }),
)

const done: Answer = {
  kind: 'whole',
  status: 200,
  contentType: 'application/json',
  bytes: Buffer.from(
    '{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":1}}',
  ),
}
const counted: Answer = { ...done, bytes: Buffer.from('{"input_tokens":3}') }

describe.skipIf(!present)(`recorded requests in the Messages API ${skipped}`, () => {
  it('are there', () => {
    expect(exchanges.length).toBeGreaterThan(150)
  })

  it.each(exchanges.map(exchange => [exchange.name, exchange] as const))(
    'reach a vendor that speaks it as they were sent: %s',
    async (_, exchange) => {
      const { text, body, path } = exchange
      const answer = path === '/messages' ? done : counted
      const asIs = await ask(exchange, text, answer)
      expect(asIs.status, asIs.body).toBe(200)
      expect(asIs.headers['x-sluice-adjustments']).toBeUndefined()
      expect(asIs.requests.map(request => request.body)).toEqual([text])

      const renamed = await ask(exchange, JSON.stringify({ ...body, model: publicName(body.model) }), answer)
      expect(renamed.status, renamed.body).toBe(200)
      // Byte for byte: all but the name of the model is the caller's own text.
      expect(renamed.requests.map(request => request.body)).toEqual([JSON.stringify(body)])
      expect(renamed.requests[0]!.path).toBe(`/v1${path}`)
    },
  )
})

const ofKind = (kind: Answer['kind']) => answeredBy(exchanges, kind)

describe.skipIf(!present)(`recorded answers in the Messages API ${skipped}`, () => {
  it.each(ofKind('whole'))('come back whole as the vendor gave them: %s', async (_, exchange) => {
    const { answer, body, path } = exchange
    const model = publicName(body.model)
    const given = Buffer.from(answer.bytes).toString()
    const expected = JSON.parse(given)
    for (const split of splitsOf(answer)) {
      const { status, body: got } = await ask(exchange, JSON.stringify({ ...body, model }), answer, split)
      expect(status, got).toBe(200)
      expect(JSON.parse(got)).toEqual(path === '/messages' ? { ...expected, model } : expected)
      if (path === '/messages') expect(withoutModel(got, model)).toBe(withoutModel(given, expected.model))
    }
  })

  it.each(ofKind('stream'))('come back as streams, event by event: %s', async (_, exchange) => {
    const { answer, body } = exchange
    const model = publicName(body.model)
    const given = await eventsOf(Buffer.from(answer.bytes).toString())
    expect(given.length).toBeGreaterThan(3)
    const text = JSON.stringify({ ...body, model, stream: true })
    for (const split of splitsOf(answer)) {
      const { status, headers, body: got } = await ask(exchange, text, answer, split)
      expect(status, got).toBe(200)
      expect(headers['content-type']).toBe('text/event-stream; charset=utf-8')
      const events = await eventsOf(got)
      expect(events.map(({ event }) => event)).toEqual(given.map(({ event }) => event))
      for (const [index, { data }] of events.entries()) {
        const own = given[index]!.data
        if (index > 0) expect(data).toBe(own)
        else expect(withoutModel(data, model)).toBe(withoutModel(own, JSON.parse(own).message.model))
      }
    }
  })

  // A count that the vendor refuses is estimated.
  const errors = ofKind('error').filter(([, { path }]) => path === '/messages')
  it.each(errors)("come back as the vendor's errors: %s", async (_, exchange) => {
    const { answer, body } = exchange
    const model = publicName(body.model)
    const { status, body: got, headers } = await ask(exchange, JSON.stringify({ ...body, model }), answer)
    const { error } = JSON.parse(Buffer.from(answer.bytes).toString())
    // A model has its public name in what is said of it, too.
    const message = error.message.replace(body.model, model)
    expect(status).toBe(answer.status)
    expect(headers['request-id']).toMatch(/^req_/)
    expect(JSON.parse(got)).toEqual({
      type: 'error',
      error: { ...error, message },
      request_id: headers['request-id'],
    })
  })
})

/** The text without its first name of this model: what is around it is compared character by character. */
function withoutModel(text: string, model: string): string {
  const quoted = JSON.stringify(model)
  expect(text).toContain(quoted)
  return text.replace(quoted, '""')
}
