import { openai } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { readResponseStream } from '../../../../packages/core/test/support/read-response-stream.ts'
import { counted } from '../counted.ts'
import {
  type Answer,
  type AnsweredExchange,
  answeredBy,
  type ExchangeBody,
  present,
  sampleOf,
  skipped,
} from '../exchanges.ts'
import { eventsOf, passingThrough, publicName, splitsOf } from '../pass-through.ts'
import { answered, exchanges, namesAccount } from './exchanges.ts'
import { encrypted, expectedEvents, expectedResponse } from './expected.ts'

const { ask } = await passingThrough(exchanges, ({ baseURL }) =>
  openai({ apiKey: 'vendor-key', baseURL, speaks: ['responses'] }),
)

const end =
  '{"id":"resp_1","object":"response","status":"completed","model":"m","output":[],"usage":{"input_tokens":1,"output_tokens":1,"total_tokens":2}}'
const whole: Answer = {
  kind: 'whole',
  status: 200,
  contentType: 'application/json',
  bytes: Buffer.from(end),
}
const streamed: Answer = {
  kind: 'stream',
  status: 200,
  contentType: 'text/event-stream',
  bytes: Buffer.from(
    `event: response.completed\ndata: {"type":"response.completed","sequence_number":0,"response":${end}}\n\n`,
  ),
}

/** What a vendor gets: it stores nothing, and returns the reasoning of models that reason. */
function sentFor(body: ExchangeBody): ExchangeBody {
  const include = (body.include ?? []) as readonly string[]
  const reasons = /^(?:o\d|gpt-5)/.test(body.model) && !include.includes(encrypted)
  return { ...body, store: false, ...(reasons && { include: [...include, encrypted] }) }
}

const passing = exchanges.filter(exchange => !namesAccount(exchange))

describe.skipIf(!present)(`recorded requests in the Responses API ${skipped}`, () => {
  it('are there', () => {
    expect(passing.length).toBeGreaterThan(200)
  })

  it.each(sampleOf(passing).map(exchange => [exchange.name, exchange] as const))(
    'reach a vendor that speaks it as they were sent, but for its state: %s',
    async (_, exchange) => {
      const { text, body } = exchange
      const done = body.stream === true ? streamed : whole
      const asked = await ask(exchange, text, done)
      expect(asked.status, asked.body).toBe(200)
      expect(asked.headers['x-sluice-adjustments']).toBeUndefined()
      expect(asked.requests.map(request => JSON.parse(request.body))).toEqual([sentFor(body)])
      expect(asked.requests[0]!.path).toBe('/v1/responses')

      // Byte for byte where nothing has to be added, and in the caller's order.
      const full = sentFor(body)
      const spaced = JSON.stringify(full, null, 1)
      const asIs = await ask(exchange, spaced, done)
      expect(asIs.requests.map(request => request.body)).toEqual([spaced])
      const renamed = await ask(exchange, JSON.stringify({ ...full, model: publicName(body.model) }), done)
      expect(renamed.requests.map(request => request.body)).toEqual([JSON.stringify(full)])
    },
  )
})

const ofKind = (kind: Answer['kind']) =>
  answeredBy(
    answered.filter(exchange => !namesAccount(exchange)),
    kind,
  )

describe.skipIf(!present)(`recorded answers in the Responses API ${skipped}`, () => {
  it.each(sampleOf(ofKind('whole')))('come back whole as the vendor gave them: %s', async (_, exchange) => {
    const { answer, body } = exchange
    const model = publicName(body.model)
    const given = JSON.parse(Buffer.from(answer.bytes).toString())
    for (const split of splitsOf(answer)) {
      const asked = await ask(exchange, JSON.stringify({ ...body, model, stream: false }), answer, split)
      expect(asked.status, asked.body).toBe(200)
      const got = JSON.parse(asked.body)
      expect(got.id).toMatch(/^resp_/)
      expect(got).toEqual(expectedResponse(given, body, got.id, body.store !== false))
      expect(Object.keys(got).slice(0, Object.keys(given).length)).toEqual(Object.keys(given))
    }
  })

  const givenBy = async ({ answer }: AnsweredExchange) =>
    (await eventsOf(Buffer.from(answer.bytes).toString())).filter(({ data }) => data !== '[DONE]')

  it.each(sampleOf(ofKind('stream')))('come back as streams, event by event: %s', async (_, exchange) => {
    const { answer, body } = exchange
    const given = await givenBy(exchange)
    const own = given.map(({ data }) => JSON.parse(data))
    const text = JSON.stringify({ ...body, model: publicName(body.model), stream: true })
    for (const split of splitsOf(answer)) {
      const { status, headers, body: got } = await ask(exchange, text, answer, split)
      expect(status, got).toBe(200)
      expect(headers['content-type']).toBe('text/event-stream; charset=utf-8')
      const events = (await eventsOf(got)).slice(0, -1)
      const { response } = JSON.parse(events[0]!.data)
      const expected = expectedEvents(own, body, response.id).events
      expect(got.endsWith('\n\ndata: [DONE]\n\n')).toBe(true)
      expect(events.map(({ event }) => event)).toEqual(expected.map(({ type }) => type))
      for (const [index, { data }] of events.entries()) {
        expect(JSON.parse(data)).toEqual(expected[index])
        // What has nothing to edit is the vendor's own text.
        if (JSON.stringify(own[index]) === JSON.stringify(expected[index]))
          expect(data).toBe(given[index]!.data)
      }
      expect(() => readResponseStream(got)).not.toThrow()
    }
  })

  it('are mended where they break the order that clients rely on', async () => {
    const mended: string[] = []
    for (const [, exchange] of ofKind('stream')) {
      const own = (await givenBy(exchange)).map(({ data }) => JSON.parse(data))
      mended.push(...expectedEvents(own, exchange.body, '').mended)
    }
    expect(counted(mended)).toMatchInlineSnapshot(`
      {
        "a part of reasoning has the name of any part": 1,
        "a text is not said to be empty": 1,
        "an item ends that its vendor left open": 1,
        "an item keeps its id": 1,
        "events are numbered without a gap": 3,
        "parts of an item are numbered from 0": 1,
      }
    `)
  })

  it.each(ofKind('error'))("come back as the vendor's errors: %s", async (_, exchange) => {
    const { answer, body } = exchange
    const model = publicName(body.model)
    const { status, body: got } = await ask(exchange, JSON.stringify({ ...body, model }), answer)
    const { error } = JSON.parse(Buffer.from(answer.bytes).toString())
    // A model has its public name in what is said of it, too, and a link may name a host.
    const message = error.message.replace(body.model, model).replace(/https:\S+/g, '[removed]')
    expect(status).toBe(answer.status)
    expect(JSON.parse(got)).toEqual({ error: { ...error, message } })
  })
})
