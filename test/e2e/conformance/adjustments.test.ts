import { type EndEvent, type Gateway, type GatewayOptions, withCors } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { type RawExchange, readSse, startUpstream, steps } from '@sluice/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { base } from './site.ts'
import { testGateway } from './test-gateway.ts'

const events = ['{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}', '[DONE]']
const whole = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
}
const upstream = await startUpstream(({ json }) => {
  const status = Number(/^status-(\d+)$/.exec(String(json?.model))?.[1] ?? 200)
  if (status !== 200)
    return steps.reply({ error: { message: 'No.', type: 'invalid_request_error' } }, { status })
  return json?.stream === true ? steps.stream(events.map(data => `data: ${data}\n\n`)) : steps.reply(whole)
})
afterAll(() => upstream.close())

const place = { name: 'acme', baseURL: upstream.baseURL }
const lacking = openaiCompatible({
  ...place,
  drop: ['seed', 'user'],
  refuse: ['n'],
  messageFields: 'strict',
})
const able = openaiCompatible(place)
const table = {
  lacking: lacking('a'),
  able: able('a'),
  'status-400': lacking('status-400'),
  'status-500': lacking('status-500'),
  // Not the same place as above: what fails often is left alone.
  'then-able': [lacking('status-502'), able('b')],
}

/** The records of ended requests, by request id: each is waited for. */
const ended = new Map<string, { event: Promise<EndEvent>; tell: (event: EndEvent) => void }>()
function endOf(id: string) {
  const known = ended.get(id)
  if (known !== undefined) return known
  let tell: (event: EndEvent) => void = () => {}
  const event = new Promise<EndEvent>(resolve => {
    tell = resolve
  })
  const made = { event, tell }
  ended.set(id, made)
  return made
}

function makeGateway(options: Partial<GatewayOptions> = {}): Gateway {
  return testGateway(table, {
    observe: event => {
      if (event.type === 'end') endOf(event.requestId).tell(event)
    },
    ...options,
  })
}

const header = ({ headers }: RawExchange) => headers['x-sluice-adjustments']
const recordOf = ({ headers }: RawExchange) => endOf(String(headers['x-request-id'])).event
const hints = { seed: 7, user: 'ann', temperature: 1 }
const dropped = [
  { parameter: 'seed', action: 'dropped' },
  { parameter: 'user', action: 'dropped' },
]
const told = '"seed";action=dropped, "user";action=dropped'

overMounts(makeGateway, site => {
  it('are told of with a whole answer', async () => {
    const answer = await site.chat({ model: 'lacking', ...hints })
    expect(answer.status, answer.body).toBe(200)
    expect(header(answer)).toBe(told)
    expect((await recordOf(answer)).adjustments).toEqual(dropped)
    const sent = upstream.requests.at(-1)?.json
    expect(sent).toMatchObject({ temperature: 1 })
    expect(sent).not.toHaveProperty('seed')
    expect(sent).not.toHaveProperty('user')
  })

  it('are told of with a stream, before its first event', async () => {
    const answer = await site.chat({ model: 'lacking', stream: true, ...hints })
    expect(header(answer)).toBe(told)
    expect(await readSse(answer.bytes)).toMatchObject({ text: 'Hi', done: true })
    expect(await recordOf(answer)).toMatchObject({ stream: true, outcome: 'completed', adjustments: dropped })
  })

  it('are told of where the vendor refuses or fails', async () => {
    for (const stream of [false, true]) {
      const refused = await site.chat({ model: 'status-400', stream, ...hints })
      expectError(refused, 400)
      const failed = await site.chat({ model: 'status-500', stream, ...hints })
      expectError(failed, 502, { type: 'server_error', code: 'bad_gateway' })
      for (const answer of [refused, failed]) {
        expect(header(answer)).toBe(told)
        expect((await recordOf(answer)).adjustments).toEqual(dropped)
      }
    }
  })

  it('are not told of where there are none', async () => {
    const answers = [
      await site.chat({ model: 'able', ...hints }),
      await site.chat({ model: 'lacking', n: 1, temperature: 1 }),
      await site.chat({ model: 'lacking', ...hints, temperature: 9 }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400])
    for (const answer of answers) {
      expect(answer.headers).not.toHaveProperty('x-sluice-adjustments')
      expect((await recordOf(answer)).adjustments).toEqual([])
    }
  })

  it('are those of the target that answered', async () => {
    const answer = await site.chat({ model: 'then-able', ...hints })
    expect(answer.status, answer.body).toBe(200)
    expect(answer.headers).not.toHaveProperty('x-sluice-adjustments')
    const record = await recordOf(answer)
    expect(record.attempts.map(({ model }) => model)).toEqual(['status-502', 'b'])
    expect(record.adjustments).toEqual([])
  })

  it('refuse what would change the answer, and name it', async () => {
    for (const stream of [false, true]) {
      const before = upstream.requests.length
      const answer = await site.chat({ model: 'lacking', n: 2, stream, ...hints })
      expectError(answer, 400, {
        code: 'unsupported_parameter',
        param: 'n',
        message: "Unsupported parameter: 'n' is not supported with this model.",
      })
      expect(await recordOf(answer)).toMatchObject({
        outcome: 'refused',
        attempts: [{ called: false }],
      })
      expect(upstream.requests).toHaveLength(before)
    }
  })

  it('refuse nothing that the next target can do', async () => {
    const answer = await site.chat({ model: 'then-able', n: 2 })
    expect(answer.status, answer.body).toBe(200)
    expect(upstream.requests.at(-1)?.json).toMatchObject({ model: 'b', n: 2 })
  })

  it('are well-formed on the wire whatever a caller calls a field', async () => {
    const odd = 'a"b\\\r\nset-cookie: c=1\u0000é🙂'
    const message = { role: 'assistant', content: 'a', [odd]: 1 }
    const answer = await site.chat({ model: 'lacking', messages: [...base.messages, message] })
    expect(answer.status, answer.body).toBe(200)
    expect(header(answer)).toBe(
      '"messages[1].a\\"b\\\\??set-cookie: c=1????";action=dropped;detail="not known to this vendor"',
    )
    expect(answer.headers).not.toHaveProperty('set-cookie')
    expect((await recordOf(answer)).adjustments).toEqual([
      {
        parameter: 'messages[1].a"b\\ set-cookie: c=1\\u0000é🙂',
        action: 'dropped',
        detail: 'not known to this vendor',
      },
    ])
  })

  it('are bounded in the header, and whole in the record', async () => {
    const message = { role: 'assistant', content: 'a', reasoning_content: 'hm' }
    const messages = Array.from({ length: 300 }, () => message)
    const answer = await site.chat({ model: 'lacking', messages })
    expect(answer.status, answer.body).toBe(200)
    expect(header(answer)?.length).toBeLessThan(2_100)
    expect(header(answer)).toMatch(/, "\*";more=\d+$/)
    expect((await recordOf(answer)).adjustments).toHaveLength(300)
  })
})

describe('unsupportedParameters: drop', () => {
  overMounts(
    () => makeGateway({ unsupportedParameters: 'drop' }),
    site => {
      it('leaves out what would change the answer, and says so', async () => {
        for (const stream of [false, true]) {
          const answer = await site.chat({ model: 'lacking', n: 2, stream })
          expect(answer.status, answer.body).toBe(200)
          expect(header(answer)).toBe('"n";action=dropped')
          expect((await recordOf(answer)).adjustments).toEqual([{ parameter: 'n', action: 'dropped' }])
          expect(upstream.requests.at(-1)?.json).not.toHaveProperty('n')
        }
      })
    },
  )
})

describe('in a browser', () => {
  const origin = 'https://app.example'
  overMounts(
    () => withCors(makeGateway(), { origins: [origin] }),
    site => {
      it('the header can be read', async () => {
        for (const fields of [{}, { stream: true }, { n: 2 }]) {
          const answer = await site.chat({ model: 'lacking', ...hints, ...fields }, { headers: { origin } })
          expect(answer.headers['access-control-expose-headers']?.split(', ')).toContain(
            'x-sluice-adjustments',
          )
        }
      })
    },
  )
})
