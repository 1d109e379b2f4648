import {
  apiKeys,
  createGateway,
  hedge,
  models,
  observers,
  priceTable,
  requests,
  withEndpoints,
} from '@sluice/core'
import { serve } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'
import { probes, requestLog } from '@sluice/telemetry'
import { prometheus } from '@sluice/telemetry/prometheus'
import { chunks, type Script, sse, startUpstream, steps, usage } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { readMetrics, total } from './exposition.ts'

const canary = 'prompt-canary-7d1f'
const upstreamKey = 'sk-upstream-canary-91c2'

/** An upstream that answers the same to all, as a vendor's model. */
async function place(name: string, script: Script) {
  const upstream = await startUpstream(script)
  onTestFinished(() => upstream.close())
  const target = openaiCompatible({ name, baseURL: upstream.baseURL, apiKey: upstreamKey })('its-model')
  return { upstream, target }
}

const busy = steps.reply({ error: { message: `No: ${canary}` } }, { status: 500 })

/** A service as it runs: a gateway, what is beside it, and a client. */
async function service() {
  const good = await place('good', steps.answer({ usage: usage(9, 12) }))
  const bad = await place('bad', busy)
  const mute = await place('mute', steps.hang())
  const silent = await place('silent', [steps.stream(sse(chunks({ text: 'Hel' })).slice(0, 2)), steps.hang()])
  const metrics = prometheus({ tagLabels: ['team'] })
  const lines: string[] = []
  const gateway = createGateway({
    authenticate: apiKeys([
      { id: 'ann', key: 'key-of-ann', tags: { team: 'red' } },
      { id: 'poor', key: 'key-of-poor', limits: [requests(1).per('day')] },
    ]),
    limits: requests(1_000_000).per('day'),
    route: models({
      good: good.target,
      bad: bad.target,
      either: [bad.target, good.target],
      silent: silent.target,
      mute: mute.target,
      hedged: hedge(mute.target, good.target, { afterMs: 20 }),
    }),
    prices: priceTable({ 'good/its-model': { input: 1, output: 2 } }),
    retry: false,
    breaker: false,
    observe: observers(requestLog({ write: line => lines.push(line) }), metrics.observe),
  })
  const serving = await serve(withEndpoints(gateway, [probes(gateway), metrics.endpoint]), {
    port: 0,
    signals: false,
  })
  onTestFinished(() => serving.close({ drainMs: 0 }))
  const ask = (model: string, more: { key?: string; stream?: boolean; signal?: AbortSignal } = {}) =>
    fetch(`${serving.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${more.key ?? 'key-of-ann'}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model,
        stream: more.stream ?? false,
        messages: [{ role: 'user', content: canary }],
      }),
      ...(more.signal && { signal: more.signal }),
    })
  const read = async (...asked: Parameters<typeof ask>) => {
    const response = await ask(...asked)
    await response.text()
    return response.status
  }
  const page = async () => (await fetch(`${serving.url}/metrics`)).text()
  const sum = async (name: string, labels?: Record<string, string>) =>
    total(readMetrics(await page()), name, labels)
  return { serving, gateway, ask, read, page, sum, lines, silent: silent.upstream, mute: mute.upstream }
}

/** So many times at once, what each came to. */
function times<T>(count: number, run: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, run))
}

it('tells of mixed traffic exactly what the clients saw', async () => {
  const { ask, read, page, sum, lines, silent } = await service()
  const leaving = new AbortController()
  const left = await ask('silent', { stream: true, signal: leaving.signal })
  const reader = left.body!.getReader()
  await reader.read()
  expect(await sum('sluice_requests_in_flight', { model: 'silent' })).toBe(1)

  const statuses = (
    await Promise.all([
      times(20, () => read('good')),
      times(10, () => read('good', { stream: true })),
      times(7, () => read('either')),
      times(5, () => read('bad')),
      times(4, () => read('nowhere')),
      times(3, () => read('good', { key: 'wrong' })),
      times(6, () => read('good', { key: 'key-of-poor' })),
    ])
  ).flat()
  const seen = (status: number) => statuses.filter(each => each === status).length
  expect([200, 401, 404, 429].map(seen)).toEqual([38, 3, 4, 5])
  leaving.abort()
  await reader.read().catch(() => {})
  await silent.waitForClose(1)
  await expect.poll(() => sum('sluice_requests_total')).toBe(statuses.length + 1)

  const families = readMetrics(await page())
  const told = (name: string, labels?: Record<string, string>) => total(families, `sluice_${name}`, labels)
  for (const status of new Set(statuses)) {
    expect(told('requests_total', { status: String(status) }), `${status}`).toBe(
      // The one who left had seen the head of the answer.
      seen(status) + (status === 200 ? 1 : 0),
    )
  }
  expect(told('requests_total', { outcome: 'client_disconnected', model: 'silent' })).toBe(1)
  expect(told('requests_total', { outcome: 'upstream_failed', model: 'bad' })).toBe(5)
  expect(told('requests_total', { model: 'unknown' })).toBe(3 + 4)
  expect(told('requests_total', { tag_team: 'red' })).toBe(statuses.length + 1 - 3 - 6)
  expect(told('request_duration_seconds_count')).toBe(statuses.length + 1)
  expect(told('request_duration_seconds_count', { outcome: 'completed' })).toBe(38)
  expect(told('first_byte_seconds_count', { stream: 'true' })).toBe(11)
  expect(told('queue_wait_seconds_count')).toBe(statuses.length + 1 - 3 - 4)
  expect(told('refusals_total', { reason: 'invalid_api_key' })).toBe(3)
  expect(told('refusals_total', { reason: 'model_not_found' })).toBe(4)
  expect(told('refusals_total', { reason: 'rate_limit_exceeded' })).toBe(5)

  expect(told('attempts_total', { provider: 'good', result: 'ok' })).toBe(38)
  expect(told('attempts_total', { provider: 'bad', result: 'refused', upstream_status: '500' })).toBe(7 + 5)
  expect(told('attempts_total', { why: 'fallback' })).toBe(7)
  // It had begun to answer, and did nothing wrong.
  expect(told('attempts_total', { provider: 'silent', result: 'ok' })).toBe(1)
  expect(told('attempts_total')).toBe(38 + 12 + 1)
  expect(told('tokens_total', { provider: 'good', type: 'input' })).toBe(38 * 9)
  expect(told('tokens_total', { provider: 'good', type: 'output' })).toBe(38 * 12)
  expect(told('cost_usd_total')).toBeCloseTo((38 * (9 + 2 * 12)) / 1e6, 9)
  expect(told('unpriced_total', { provider: 'silent' })).toBe(1)
  expect(told('estimated_usage_total')).toBe(1)
  expect(told('requests_in_flight')).toBe(0)
  expect(families.find(({ name }) => name === 'sluice_requests_in_flight')!.samples.length).toBeGreaterThan(3)

  expect(lines).toHaveLength(statuses.length + 1)
  const logged = lines.map(line => JSON.parse(line))
  expect(
    logged.reduce((sum, { totalTokens, provider }) => sum + (provider === 'good' ? totalTokens : 0), 0),
  ).toBe(38 * 21)
  const all = [...lines, await page()].join('\n')
  for (const secret of [canary, upstreamKey, 'key-of-', '127.0.0.1']) expect(all).not.toContain(secret)
})

it('tells of calls that were cut off, and who was charged for them', async () => {
  const { ask, read, page, sum, lines, mute } = await service()
  const leaving = new AbortController()
  const left = ask('mute', { signal: leaving.signal }).catch(() => 'left')
  await mute.waitForRequest()
  leaving.abort()
  expect(await left).toBe('left')
  expect(await read('hedged')).toBe(200)
  await expect.poll(() => sum('sluice_requests_total')).toBe(2)
  await expect.poll(() => sum('sluice_unpriced_total', { use: 'discarded' })).toBe(1)

  const families = readMetrics(await page())
  const told = (name: string, labels?: Record<string, string>) => total(families, `sluice_${name}`, labels)
  expect(told('requests_total', { status: '499', outcome: 'client_disconnected', model: 'mute' })).toBe(1)
  expect(told('attempts_total', { provider: 'mute', result: 'cut_off' })).toBe(2)
  expect(told('attempts_total', { provider: 'good', why: 'hedge', result: 'ok' })).toBe(1)
  expect(told('attempts_total')).toBe(3)
  expect(told('tokens_total', { provider: 'good', use: 'answer' })).toBe(21)
  expect(told('tokens_total', { provider: 'mute', use: 'discarded' })).toBeGreaterThan(0)
  expect(told('requests_in_flight')).toBe(0)
  expect(lines.map(line => JSON.parse(line))).toMatchObject([
    { status: 499, outcome: 'client_disconnected', model: 'mute', error: null },
    { status: 200, model: 'hedged', provider: 'good', attempts: 2 },
  ])
})

it('counts a configured model by its name, whatever names callers make up, and after a reload', async () => {
  const { target } = await place('vendor', steps.answer({ usage: usage(1, 1) }))
  const any = (model: string) => ({ ...target, model })
  const metrics = prometheus()
  const options = {
    authenticate: apiKeys([{ id: 'ann', key: 'key-of-ann' }]),
    route: models({ 'any/*': any, big: any('big-1') }),
    observe: metrics.observe,
  }
  const gateway = createGateway(options)
  onTestFinished(() => gateway.close({ drainMs: 0 }))
  const ask = async (model: string) => {
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer key-of-ann', 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi.' }] }),
    })
    expect(response.status).toBe(200)
    await response.text()
  }
  for (let n = 0; n < 150; n++) await ask(`any/${n}`)
  await ask('big')
  gateway.reload({ ...options, route: models({ 'any/*': any, big: any('big-1'), new: any('new-1') }) })
  await ask('new')
  const families = readMetrics(
    await (await metrics.endpoint.fetch(new Request('http://sluice.test/metrics'), '/metrics')).text(),
  )
  const told = (name: string, labels: Record<string, string>) => total(families, `sluice_${name}`, labels)
  expect(['big', 'new', 'any/99', 'other'].map(model => told('requests_total', { model }))).toEqual([
    1, 1, 1, 50,
  ])
  const attempts = ['big-1', 'new-1', '99', 'other']
  expect(attempts.map(upstream_model => told('attempts_total', { upstream_model }))).toEqual([1, 1, 1, 50])
})

it('is asked over a socket like any service', async () => {
  const { serving } = await service()
  const head = await fetch(`${serving.url}/metrics`, { method: 'HEAD' })
  expect([head.status, await head.text(), head.headers.get('content-type')]).toEqual([
    200,
    '',
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  expect((await fetch(`${serving.url}/metrics`, { method: 'POST', body: 'x' })).status).toBe(405)
  expect(await (await fetch(`${serving.url}/healthz`)).json()).toEqual({ status: 'ok' })
  const ready = await fetch(`${serving.url}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([200, { status: 'ok', checks: { gateway: 'ok' } }])
  expect((await fetch(`${serving.url}/readyz`, { method: 'HEAD' })).status).toBe(200)
})

it('is not ready from when the gateway closes, and lives', async () => {
  const { serving, gateway, read } = await service()
  await gateway.close()
  const ready = await fetch(`${serving.url}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([
    503,
    { status: 'unavailable', checks: { gateway: 'failed' } },
  ])
  expect((await fetch(`${serving.url}/healthz`)).status).toBe(200)
  expect(await read('good')).toBe(503)
})
