import { describe, expect, it } from 'vitest'
import { idempotency } from '../../src/caching/idempotency.ts'
import type { AnswerStreamWriter, DialectError, GenerateDialect } from '../../src/contracts/dialect.ts'
import type { Outline } from '../../src/contracts/outline.ts'
import { TurnsGenerateRequest } from '../../src/conversation/turns-generate-request.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { concurrent } from '../../src/rate-limiting/rule.ts'
import { priceTable } from '../../src/usage/price-table.ts'
import { scripted, serving, stop, stream, text, whole } from '../support/scripted-gateway.ts'

const writer: AnswerStreamWriter = {
  open: () => '<open>',
  push: deltas => deltas.map(({ delta }) => delta.content ?? '').join(''),
  end: () => '<end>',
  fail: () => '<fail>',
}

function dialectWith(more: Partial<GenerateDialect> = {}): GenerateDialect {
  return {
    name: 'own',
    operation: 'generate',
    path: '/own',
    outline: body => ({ stream: body.stream === true }),
    read: ({ model, body }) => ({
      request: new TurnsGenerateRequest({
        dialect: 'own',
        body,
        settings: { model, stream: body.stream === true },
        turns: [{ role: 'user', parts: [{ kind: 'text', text: 'Hello!', path: 'text' }], path: 'text' }],
      }),
    }),
    answerId: id => id,
    write: () => '"written"',
    stream: () => writer,
    streamError: () => '<error>',
    error: ({ status, message }) => ({ status, body: { wrong: message } }),
    ...more,
  }
}

const asked = (gateway: { fetch: typeof fetch }, body: object = {}, headers: Record<string, string> = {}) =>
  gateway.fetch(
    new Request('http://sluice.test/v1/own', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'm', ...body }),
    }),
  )

const bug = () => {
  throw new Error('bug in the dialect')
}
const noText = () => undefined as unknown as string
const usage = { prompt_tokens: 3, completion_tokens: 2 }
const answers = (live: boolean) =>
  scripted(() => (live ? stream([text('a')], [text('b')], [{ ...stop, usage }]) : whole('ab')))

function servingOwn(more: Partial<GenerateDialect>, live: boolean) {
  const vendor = answers(live)
  const served = serving(vendor.target, {
    dialects: [dialectWith(more)],
    limits: limits([concurrent(1)]),
    prices: priceTable({ m: { input: 1, output: 1 } }),
  })
  return { ...vendor, ...served }
}

describe('a dialect that fails to write a stream', () => {
  it.each([
    ['content', { push: bug }, '<open><fail>'],
    ['content that is no text', { push: noText }, '<open><fail>'],
    ['the end', { end: bug }, '<open>ab<fail>'],
    ['an end that is no text', { end: noText }, '<open>ab<fail>'],
    ['content and the error', { push: bug, fail: bug }, ''],
    ['the end and the error', { end: bug, fail: bug }, '<open>ab'],
    ['an error that is no text', { push: bug, fail: noText }, ''],
  ] as const)('settles the request, and cuts the call off: %s', async (_, broken, expected) => {
    const { gateway, post, ends, signals } = servingOwn({ stream: () => ({ ...writer, ...broken }) }, true)
    const response = await asked(gateway, { stream: true })
    expect(await response.text()).toBe(expected)
    expect(ends()).toMatchObject([
      { outcome: 'internal_error', status: 200, usage: { prompt_tokens: expect.any(Number) } },
    ])
    expect(signals[0]!.aborted).toBe(true)
    const next = await post({ stream: true })
    expect(next.status).toBe(200)
    await next.text()
  })

  it.each([
    ['the writer', { stream: bug }],
    ['its opening', { stream: () => ({ ...writer, open: bug }) }],
    ['an opening that is no text', { stream: () => ({ ...writer, open: noText }) }],
  ] as const)('calls no upstream if it cannot begin: %s', async (_, broken) => {
    const { gateway, ends, signals } = servingOwn(broken, true)
    expect((await asked(gateway, { stream: true })).status).toBe(500)
    expect(ends()).toMatchObject([{ outcome: 'internal_error', attempts: [] }])
    expect(signals).toEqual([])
  })
})

describe('a dialect that fails to write an answer', () => {
  it.each([
    ['it throws', { write: bug }],
    ['it is no text', { write: noText }],
  ] as const)('charges what the vendor generated: %s', async (_, broken) => {
    const { gateway, ends } = servingOwn(broken, false)
    const response = await asked(gateway)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ wrong: expect.stringMatching(/^The server had an error/) })
    expect(ends()).toMatchObject([{ outcome: 'internal_error', usage: { total_tokens: 5 }, cost: 5e-6 }])
  })
})

describe('a dialect whose outline contradicts its request', () => {
  it('stores and replays the response in the form that it had', async () => {
    const { target } = answers(false)
    const served = serving(target, {
      dialects: [dialectWith({ outline: () => ({ stream: true }) })],
      idempotency: idempotency({}),
    })
    for (const replayed of [null, 'true']) {
      const response = await asked(served.gateway, {}, { 'idempotency-key': 'one' })
      expect(response.headers.get('idempotency-replayed')).toBe(replayed)
      expect(response.headers.get('content-type')).toBe('application/json')
      expect(await response.json()).toBe('written')
    }
    expect(served.ends().map(event => event.stream)).toEqual([false, false])
  })
})

describe('a dialect that fails to read, or to write an error', () => {
  it.each([
    ['an outline that throws', { outline: bug }],
    ['no outline', { outline: () => undefined as unknown as Outline }],
    ['a request', { read: bug }],
  ] as const)('answers its own 500, and settles the request: %s', async (_, broken) => {
    const { gateway, post, ends } = servingOwn(broken, false)
    const response = await asked(gateway)
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({ wrong: expect.any(String) })
    expect(ends()).toMatchObject([{ outcome: 'internal_error', status: 500 }])
    expect((await post({})).status).toBe(200)
  })

  it.each([
    ['an error that throws', bug],
    ['no error', () => undefined as unknown as DialectError],
    ['a status of no error', () => ({ status: 200, body: {} })],
    ['no status', () => ({ status: 0, body: {} })],
    ['no body', () => ({ status: 500, body: undefined })],
    ['a body that is no JSON', () => ({ status: 500, body: { a: 1n } })],
  ] as const)('answers the 500 of chat completions, and settles the request: %s', async (_, error) => {
    const { gateway, post, ends } = servingOwn({ read: bug, error }, false)
    const response = await asked(gateway)
    expect(response.status).toBe(500)
    expect(await response.json()).toMatchObject({ error: { type: 'server_error' } })
    expect(ends()).toMatchObject([{ outcome: 'internal_error', status: 500 }])
    expect((await post({})).status).toBe(200)
  })
})
