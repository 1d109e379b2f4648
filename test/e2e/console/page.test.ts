import { describe, expect, it } from 'vitest'
import { consoleService } from './console-service.ts'

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

describe('the page of the console', () => {
  it('is there without a key, bound to its own files, and nobody keeps it', async () => {
    const { fetch } = consoleService()
    const answer = await fetch('/console/')
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
    })
    expect(await answer.text()).toContain('<!doctype html>')
  })

  it.each(['', '/api/ai'])('is found from its name without a slash, under the mount "%s"', async mount => {
    const { fetch } = consoleService()
    const answer = await fetch('/console', {}, mount)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, 'console/'])
    const next = new URL(answer.headers.get('location')!, `http://sluice.test${mount}/console`)
    expect(next.pathname).toBe(`${mount}/console/`)
    expect((await fetch('/console/', {}, mount)).status).toBe(200)
  })

  it('answers HEAD with the same head and no body, and other methods with 405', async () => {
    const { fetch } = consoleService()
    const [get, head] = [await fetch('/console/'), await fetch('/console/', { method: 'HEAD' })]
    expect([head.status, Object.fromEntries(head.headers)]).toEqual([200, Object.fromEntries(get.headers)])
    expect(await head.text()).toBe('')
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const refused = await fetch('/console/', { method })
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    }
  })

  it.each(['/console/nothing', '/console/__proto__', '/console/toString', '/console//'])(
    'knows no file %s',
    async path => {
      const answer = await consoleService().fetch(path)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toEqual({
        error: { message: expect.any(String), type: 'invalid_request_error', param: null, code: null },
      })
    },
  )

  it('leaves all other paths to the gateway', async () => {
    const { service } = consoleService()
    const own = ['/console', '/console/', '/console/api/about'].map(path => service.matches(path))
    expect(own).toEqual([true, true, true])
    expect(['/consoles', '/console.html', '/'].map(path => service.matches(path))).toEqual([
      false,
      false,
      false,
    ])
  })
})
