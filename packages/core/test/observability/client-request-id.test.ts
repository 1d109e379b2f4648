import { describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/auth/api-keys.ts'
import { idempotency } from '../../src/caching/idempotency.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { models } from '../../src/routing/models.ts'
import { scripted, serving, stop, stream, text, whole } from '../support/scripted-gateway.ts'

const sent = (id: string, name = 'x-request-id') => ({
  headers: { 'content-type': 'application/json', [name]: id },
})
const fine = () => scripted(() => whole('Hi.')).target
const refuse = () => {
  throw new GatewayError('rate_limit_exceeded')
}
const echo = (response: Response) => response.headers.get('x-client-request-id')

describe('the id that a caller gives its request', () => {
  it('is in begin, in end and in the response, beside ours', async () => {
    const { post, events } = serving(fine(), { clientRequestId: true })
    const response = await post({}, sent('trace-1/a:b.c_d+e=f@g'))
    const { requestId } = events[0] as { requestId: string }
    expect(events).toMatchObject([
      { type: 'begin', requestId, clientRequestId: 'trace-1/a:b.c_d+e=f@g' },
      { type: 'end', requestId, clientRequestId: 'trace-1/a:b.c_d+e=f@g' },
    ])
    expect(requestId).toMatch(/^req_[0-9a-f]{32}$/)
    expect(response.headers.get('x-request-id')).toBe(requestId)
    expect(echo(response)).toBe('trace-1/a:b.c_d+e=f@g')
  })

  it('is in the response of a stream', async () => {
    const { post, ends } = serving(scripted(() => stream([text('hi'), stop])).target, {
      clientRequestId: true,
    })
    const response = await post({ stream: true }, sent('abc'))
    expect([echo(response), await response.text()]).toEqual(['abc', expect.stringContaining('[DONE]')])
    expect(ends()[0]?.clientRequestId).toBe('abc')
  })

  it.each([
    [401, { authenticate: () => undefined }, {}],
    [404, {}, { model: 'other' }],
    [400, {}, { messages: [] }],
    [429, { limits: { admit: refuse } }, {}],
  ])('is in the response of a %i', async (status, options, body) => {
    const { post, ends } = serving(fine(), { clientRequestId: true, ...options })
    const response = await post(body, sent('abc'))
    expect([response.status, echo(response)]).toEqual([status, 'abc'])
    expect(ends()[0]?.clientRequestId).toBe('abc')
  })

  it('is in the response of a gateway that is closed', async () => {
    const { post, gateway } = serving(fine(), { clientRequestId: true })
    await gateway.close()
    const response = await post({}, sent('abc'))
    expect([response.status, echo(response)]).toEqual([503, 'abc'])
  })

  it.each(['models', 'models/m', 'models/other', 'nothing'])('is in the response of %s', async path => {
    const { gateway } = serving(fine(), { clientRequestId: true })
    const request = new Request(`http://sluice.test/v1/${path}`, { headers: { 'x-request-id': 'abc' } })
    expect(echo(await gateway.fetch(request))).toBe('abc')
  })

  it('comes by the header that is named', async () => {
    const { post, ends } = serving(fine(), { clientRequestId: 'X-Correlation-Id' })
    expect(echo(await post({}, sent('abc', 'x-correlation-id')))).toBe('abc')
    expect(echo(await post({}, sent('abc')))).toBeNull()
    expect(ends().map(({ clientRequestId }) => clientRequestId)).toEqual(['abc', undefined])
  })

  it.each([undefined, false])('is not read where the option is %s', async clientRequestId => {
    const { post, events } = serving(fine(), clientRequestId === undefined ? {} : { clientRequestId })
    expect(echo(await post({}, sent('mine')))).toBeNull()
    expect(JSON.stringify(events)).not.toContain('mine')
  })

  it.each(['', 'a b', 'a, b', 'a"b', 'a\tb', 'caf\u00e9', '{a}', '%0a', 'x'.repeat(129)])(
    'is ignored where it is %j',
    async id => {
      const { post, ends } = serving(fine(), { clientRequestId: true })
      const response = await post({}, sent(id))
      expect([response.status, echo(response)]).toEqual([200, null])
      expect(ends()[0]?.clientRequestId).toBeUndefined()
    },
  )

  it('may have 128 characters', async () => {
    const id = 'x'.repeat(128)
    expect(echo(await serving(fine(), { clientRequestId: true }).post({}, sent(id)))).toBe(id)
  })

  it('keys nothing: two callers, and two requests of one, may send the same', async () => {
    const upstream = scripted((_, index) => whole(`answer ${index}`))
    const ends: unknown[] = []
    const gateway = createGateway({
      authenticate: apiKeys(['ann', 'bob'].map(id => ({ id, key: `key-of-${id}` }))),
      route: models({ m: upstream.target }),
      clientRequestId: true,
      idempotency: idempotency(),
      observe: event => void (event.type === 'end' && ends.push(event.requestId)),
    })
    const ask = (who: string, clientId: string, key: string) =>
      gateway.fetch('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: {
          authorization: `Bearer key-of-${who}`,
          'content-type': 'application/json',
          'x-request-id': clientId,
          'idempotency-key': key,
        },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] }),
      })
    const answers = [
      await ask('ann', 'same', 'one'),
      await ask('bob', 'same', 'one'),
      await ask('ann', 'same', 'two'),
    ]
    const texts = await Promise.all(answers.map(answer => answer.text()))
    for (const [index, body] of texts.entries()) expect(body).toContain(`answer ${index}`)
    expect(new Set(ends).size).toBe(3)
    // A response that is replayed has the id of who asked for it now.
    const replayed = await ask('ann', 'later', 'one')
    expect([replayed.headers.get('idempotency-replayed'), echo(replayed)]).toEqual(['true', 'later'])
    expect(await replayed.text()).toBe(texts[0])
    await gateway.close()
  })

  it.each(['', 'a b', 'authorization', 'Cookie', 'x-api-key', 1])('is read by no header %j', name => {
    expect(() => serving(fine(), { clientRequestId: name as never })).toThrow(
      /clientRequestId: got .*, expected true, false or the name of a header without credentials/,
    )
  })
})
