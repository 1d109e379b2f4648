import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GatewayEvent } from '@sluice/core'
import { findClosedPort } from '@sluice/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { JwtConfig } from '../config.ts'
import { cachedTokenCallers } from './callers.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const issuer = 'https://login.example'

/** A request of somebody whom the issuer knows. */
function request(): Request {
  const coded = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { iss: issuer, aud: 'llm', sub: 'ann', exp: Math.floor(Date.now() / 1_000) + 600 }
  const said = `${coded({ alg: 'ES256', kid: 'one', typ: 'JWT' })}.${coded(claims)}`
  const signature = sign('sha256', Buffer.from(said), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  const authorization = `Bearer ${said}.${signature.toString('base64url')}`
  return new Request('http://x', { headers: { authorization } })
}

async function issuing(): Promise<{ readonly tokens: () => JwtConfig; readonly asked: () => number }> {
  let asked = 0
  const server = createServer((_, response) => {
    asked++
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one' }] }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return {
    tokens: () => ({ jwks: `http://127.0.0.1:${port}/keys`, issuer, audience: 'llm' }),
    asked: () => asked,
  }
}

describe('keptTokenCallers', () => {
  it('keeps the keys of an issuer for as long as a configuration says the same of it', async () => {
    const { tokens, asked } = await issuing()
    const callersOf = cachedTokenCallers(() => {})
    for (const _ of [1, 2, 3])
      expect(await callersOf(tokens())(request(), undefined)).toMatchObject({ id: 'ann' })
    expect(asked()).toBe(1)
    expect(await callersOf({ ...tokens(), audience: 'other' })(request(), undefined)).toBeUndefined()
    expect(asked()).toBe(2)
  })

  it('tells of an issuer that does not answer', async () => {
    const events: GatewayEvent[] = []
    const jwks = `http://127.0.0.1:${await findClosedPort()}/keys`
    const callers = cachedTokenCallers(event => void events.push(event))({ jwks, issuer, audience: 'llm' })
    await expect(callers(request(), undefined)).rejects.toMatchObject({ code: 'authentication_unavailable' })
    await vi.waitFor(
      () => expect(events).toMatchObject([{ type: 'store', store: 'keys', state: 'failing' }]),
      5_000,
    )
  })
})
