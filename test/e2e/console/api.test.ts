import { describe, expect, it } from 'vitest'
import { adminKey, consoleService } from './console-service.ts'

const paths = [
  '/about',
  '/requests',
  '/requests/x',
  '/live',
  '/series',
  '/usage',
  '/routes',
  '/keys',
  '/nothing',
  '',
]

describe('the API of the console', () => {
  it.each(paths)('tells nothing at %s without the admin key', async path => {
    const { fetch } = consoleService()
    for (const authorization of [undefined, 'Bearer sk-ann', `Bearer ${adminKey}x`]) {
      const answer = await fetch(`/console/api${path}`, authorization ? { headers: { authorization } } : {})
      expect(answer.status).toBe(401)
      expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
      expect(await answer.json()).toEqual({
        error: {
          message: expect.stringContaining('admin key'),
          type: 'invalid_request_error',
          param: null,
          code: authorization ? 'invalid_api_key' : null,
        },
      })
    }
  })

  it('does not read the key from a URL', async () => {
    const { fetch } = consoleService()
    expect((await fetch(`/console/api/about?key=${adminKey}&access_token=${adminKey}`)).status).toBe(401)
  })

  it.each(['', '/api/ai'])('says what there is, under the mount "%s"', async mount => {
    const { api } = consoleService({ console: { now: () => 5 } })
    const answer = await api('/about', {}, mount)
    expect(await answer.json()).toEqual({
      base: '/v1',
      models: ['small'],
      chat: true,
      keys: true,
      ledger: false,
      log: false,
      bodies: false,
      hooks: false,
      alerts: false,
      startedAt: 5,
      teamTag: 'team',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('knows where the mount ends with the base', async () => {
    const answer = await consoleService().api('/about', {}, '/api/v1')
    expect(await answer.json()).toMatchObject({ base: '' })
  })

  it('shows a request while it runs, and how it came to its end, without what was said', async () => {
    let reply: (text: string) => void = () => {}
    let called: () => void = () => {}
    const asked = new Promise<void>(resolve => {
      called = resolve
    })
    const { api, chat } = consoleService({
      script: () => {
        called()
        return new Promise<string>(resolve => {
          reply = resolve
        })
      },
    })
    const chatting = chat()
    await asked
    const [row] = (await (await api('/requests')).json()).requests
    expect(row).toMatchObject({
      outcome: 'running',
      model: 'small',
      key: 'ann',
      team: 'search',
      stream: false,
    })
    reply('my secret answer')
    await (await chatting).text()
    const detail = await (await api(`/requests/${row.id}`)).json()
    expect(detail).toMatchObject({
      id: row.id,
      outcome: 'completed',
      status: 200,
      provider: 'local',
      attempts: [{ provider: 'local', why: 'first', called: true }],
      candidates: [{ provider: 'local', model: 'small' }],
      leftOut: 0,
    })
    expect(detail.cost).toBeGreaterThan(0)
    expect(JSON.stringify(detail)).not.toContain('secret')
    const series = await (await api('/series?by=team&minutes=1')).json()
    expect(series.lines).toMatchObject([{ name: 'search', kind: 'name', requests: [1], errors: [0] }])
    expect(await (await api('/routes')).json()).toMatchObject({
      models: [
        { model: 'small', targets: [{ provider: 'local', model: 'small', state: 'closed', active: 0 }] },
      ],
    })
  })

  it('shows those that were refused, and tells errors by a word', async () => {
    const { api, chat } = consoleService({ script: () => ({ error: 500 }) as never })
    await chat({ model: 'nothing' })
    await chat()
    const { requests } = await (await api('/requests')).json()
    expect(requests).toHaveLength(2)
    expect(requests.map(({ error }: { error: string }) => error)).toContain('model_not_found')
    expect((await api('/requests/nobody')).status).toBe(404)
  })

  it.each([
    ['/series?by=nothing', 'by'],
    ['/series?minutes=0', 'minutes'],
    ['/series?minutes=181', 'minutes'],
    ['/series?minutes=1e1', 'minutes'],
    ['/series?by=model&by=key', 'by'],
    ['/series?since=1', null],
    ['/about?a=b', null],
    ['/requests?limit=5', null],
    ['/routes?a', null],
  ])('refuses %s', async (path, param) => {
    const answer = await consoleService().api(path)
    expect(answer.status).toBe(400)
    expect((await answer.json()).error).toMatchObject({ type: 'invalid_request_error', param })
  })

  it.each([
    ['POST', '/about', 'GET'],
    ['HEAD', '/requests', 'GET'],
    ['PUT', '/keys', 'GET, POST'],
    ['GET', '/keys/a', 'PATCH, DELETE'],
    ['OPTIONS', '/keys/a/rotate', 'POST'],
  ])('refuses %s of %s', async (method, path, allow) => {
    const answer = await consoleService().api(path, { method })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow])
  })

  it.each(['', '/', '/about/x', '/keys/', '/keys/a/b', '/requests/%zz', '/__proto__', '//about'])(
    'knows no path "%s"',
    async path => {
      const answer = await consoleService().api(path)
      expect(answer.status).toBe(404)
    },
  )

  it('is 503 when the console is closed, and watches no more', async () => {
    const { board, api, chat, fetch } = consoleService()
    board.close()
    board.close()
    await chat()
    expect((await api('/requests')).status).toBe(503)
    expect((await fetch('/console/')).status).toBe(200)
  })
})
