import { describe, expect, it } from 'vitest'
import type { ResponseStore } from '../../src/contracts/response-store.ts'
import { scripted, serving, whole } from '../support/scripted-gateway.ts'

const broken = () => {
  throw new TypeError("Cannot read properties of undefined (reading 'set')")
}
const unreachable = () => Promise.reject(new Error('ECONNREFUSED'))

describe.each([
  ['throws', broken],
  ['rejects', unreachable],
])('a store of responses that %s', (_, fail) => {
  const responses: ResponseStore = { put: fail, get: fail, findItem: fail, delete: fail }

  it('costs no response that a vendor has generated', async () => {
    const { target } = scripted(() => whole('Hi'))
    const { gateway, ends } = serving(target, { responses })
    const response = await gateway.fetch('http://sluice.test/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: 'Hello!' }),
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ status: 'completed', store: false })
    expect(ends()).toMatchObject([{ outcome: 'completed' }])
  })

  it('is a 503 for who reads from it', async () => {
    const { target } = scripted(() => whole('Hi'))
    const { gateway } = serving(target, { responses })
    const response = await gateway.fetch('http://sluice.test/v1/responses/resp_1')
    expect(response.status).toBe(503)
  })
})
