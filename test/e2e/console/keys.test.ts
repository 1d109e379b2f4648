import { describe, expect, it, vi } from 'vitest'
import { consoleService } from './console-service.ts'

const minute = { kind: 'requests', limit: 5, per: 'minute' }

describe('keys in the console', () => {
  it('are issued, listed, changed, rotated and deleted, and no digest is told', async () => {
    const { api, send } = consoleService()
    const issued = await send('POST', '/keys', { name: 'search', models: ['small'], limits: [minute] })
    expect(issued.status).toBe(201)
    expect(issued.headers.get('cache-control')).toBe('no-store')
    const { key, ...row } = await issued.json()
    expect(key).toMatch(/^sluice_/)
    expect(row).toEqual({
      id: key.split('_')[1],
      name: 'search',
      models: ['small'],
      tags: null,
      limits: [minute],
      disabled: false,
      createdAt: expect.any(Number),
      expiresAt: null,
      lastUsedAt: null,
      secrets: [{ createdAt: row.createdAt, expiresAt: null }],
    })
    expect(await (await api('/keys')).json()).toEqual({ keys: [row] })
    const changed = await send('PATCH', `/keys/${row.id}`, {
      disabled: true,
      models: null,
      tags: { team: 'a' },
    })
    expect(await changed.json()).toEqual({ ...row, disabled: true, models: null, tags: { team: 'a' } })
    const rotated = await (await send('POST', `/keys/${row.id}/rotate`, { overlapMs: 60_000 })).json()
    expect(rotated).toMatchObject({
      id: row.id,
      secrets: [{ expiresAt: null }, { expiresAt: expect.any(Number) }],
    })
    expect(rotated.key).not.toBe(key)
    const listed = await (await api('/keys')).text()
    expect(listed).not.toMatch(/digest|[0-9a-f]{64}/)
    expect(listed).not.toContain(key.slice(-49))
    const gone = await api(`/keys/${row.id}`, { method: 'DELETE' })
    expect([gone.status, await gone.text()]).toEqual([204, ''])
    expect((await api(`/keys/${row.id}`, { method: 'DELETE' })).status).toBe(404)
    expect((await send('PATCH', `/keys/${row.id}`, { disabled: true })).status).toBe(404)
    expect((await send('POST', `/keys/${row.id}/rotate`, {})).status).toBe(404)
  })

  it.each([
    ['no name', {}, 400, null, /needs a name/],
    ['a misspelt member', { name: 'a', model: ['m'] }, 400, 'model', /Unknown member 'model'/],
    ['one from the language', { name: 'a', constructor: 1 }, 400, 'constructor', /Unknown member/],
    [
      'models that are no list',
      { name: 'a', models: 'm' },
      400,
      null,
      /models: got a string, expected a list/,
    ],
    [
      'a limit that is none',
      { name: 'a', limits: [{ ...minute, limit: 0 }] },
      400,
      null,
      /whole number from 1/,
    ],
    [
      'a limit with another member',
      { name: 'a', limits: [{ ...minute, scope: 'key' }] },
      400,
      null,
      /limits\[0\]\.scope: got a string, expected no such option/,
    ],
    ['a list', [], 400, null, /must be a JSON object/],
    ['nothing', null, 400, null, /must be a JSON object/],
    ['a name that is too long', { name: 'a'.repeat(201) }, 400, null, /1 to 200 characters/],
    ['too much', { name: 'a'.repeat(70_000) }, 413, null, /64 KiB/],
    ['too deep', { name: JSON.parse('['.repeat(20) + ']'.repeat(20)) }, 400, null, /nested too deep/],
  ])('are not issued for %s', async (_, body, status, param, message) => {
    const { send, keys } = consoleService()
    const answer = await send('POST', '/keys', body)
    expect(answer.status).toBe(status)
    expect((await answer.json()).error).toMatchObject({ message: expect.stringMatching(message), param })
    expect(await keys.list()).toEqual([])
  })

  it.each([
    ['{"name":"a"', 'application/json'],
    ['', 'application/json'],
    ['{"name":"a"}', 'text/plain'],
    ['{"name":"a"}', 'application/x-www-form-urlencoded'],
    ['\u0000\uffff', 'application/json'],
  ])('are not issued for the body %j as %s', async (body, type) => {
    const { api, keys } = consoleService()
    const answer = await api('/keys', { method: 'POST', body, headers: { 'content-type': type } })
    expect(answer.status).toBe(400)
    expect(await keys.list()).toEqual([])
  })

  it('are not issued for a body that is no UTF-8, nor for one that says it is small and is not', async () => {
    const { api, keys } = consoleService()
    const headers = { 'content-type': 'application/json' }
    const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])
    expect((await api('/keys', { method: 'POST', body: bytes, headers })).status).toBe(400)
    let left = false
    const endless = new ReadableStream<Uint8Array>({
      pull: controller => controller.enqueue(new Uint8Array(40_000)),
      cancel: () => {
        left = true
      },
    })
    const init = { method: 'POST', body: endless, headers, duplex: 'half' }
    expect((await api('/keys', init)).status).toBe(413)
    expect(left).toBe(true)
    expect(await keys.list()).toEqual([])
  })

  it.each([
    ['a name that is none', 'PATCH', '', { name: '' }],
    ['a member that it does not have', 'PATCH', '', { id: 'x' }],
    ['a disabled that is none', 'PATCH', '', { disabled: 'yes' }],
    ['an overlap that is none', 'POST', '/rotate', { overlapMs: -1 }],
    ['an overlap as text', 'POST', '/rotate', { overlapMs: '60' }],
    ['another member', 'POST', '/rotate', { overlap: 60 }],
  ])('are not changed by %s', async (_, method, path, body) => {
    const { send, keys } = consoleService()
    const { stored } = await keys.issue({ name: 'a' })
    expect((await send(method, `/keys/${stored.id}${path}`, body)).status).toBe(400)
    expect(await keys.get(stored.id)).toEqual(stored)
  })

  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://sluice.test:81' }],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('are not changed by a page of another origin: %j', async headers => {
    const { send, keys } = consoleService()
    const answer = await send('POST', '/keys', { name: 'a' }, headers)
    expect(answer.status).toBe(403)
    expect((await answer.json()).error.message).toContain('another origin')
    expect(await keys.list()).toEqual([])
  })

  it.each([
    [{ origin: 'http://sluice.test' }],
    [{ origin: 'https://sluice.test', host: 'sluice.test' }],
    [{ origin: 'https://seen.example', 'sec-fetch-site': 'same-origin' }],
  ])('are changed by the console itself: %j', async headers => {
    expect((await consoleService().send('POST', '/keys', { name: 'a' }, headers)).status).toBe(201)
  })

  it('are 503 while what keeps them is away, and what it said is told to its owner alone', async () => {
    const { api, send, rows, failures } = consoleService()
    const fault = new TypeError('connect ECONNREFUSED db.internal:5432 password=hunter2')
    for (const name of ['list', 'get', 'insert', 'delete'] as const)
      rows[name] = () => Promise.reject(fault) as never
    for (const answer of [
      await api('/keys'),
      await send('POST', '/keys', { name: 'a' }),
      await send('PATCH', '/keys/a', { name: 'b' }),
      await send('POST', '/keys/a/rotate', {}),
      await api('/keys/a', { method: 'DELETE' }),
    ]) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      const text = await answer.text()
      expect(JSON.parse(text).error.message).toContain('does not answer')
      expect(text).not.toMatch(/internal|hunter2|TypeError/)
    }
    expect(failures).toEqual([fault, fault, fault, fault, fault])
  })

  it('are 503 where what keeps them does not answer for 10 seconds', async () => {
    const { api, rows } = consoleService()
    let asked: () => void = () => {}
    const began = new Promise<void>(resolve => {
      asked = resolve
    })
    rows.list = () => {
      asked()
      return new Promise(() => {})
    }
    vi.useFakeTimers()
    try {
      const answer = api('/keys')
      await began
      await vi.advanceTimersByTimeAsync(10_000)
      expect((await answer).status).toBe(503)
    } finally {
      vi.useRealTimers()
    }
  })

  it('are no business of a console that was given none', async () => {
    const { api, send } = consoleService({ console: { keys: undefined } })
    expect(await (await api('/about')).json()).toMatchObject({ keys: false })
    for (const answer of [await api('/keys'), await send('POST', '/keys', { name: 'a' })])
      expect([answer.status, (await answer.json()).error.message]).toEqual([
        404,
        expect.stringContaining('given no keys'),
      ])
  })
})
