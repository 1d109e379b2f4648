import { generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Authenticator, apiKeys, createGateway, type Gateway, models } from '@sluice/core'
import { type IssuedKey, isIssuedKey } from '@sluice/core/keys'
import type { Database } from '@sluice/core/store'
import { local } from '@sluice/providers'
import { expect, onTestFinished } from 'vitest'
import { type Asking, ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const here = 'http://sluice.test/v1'
const asking = ({ fetch }: Gateway, asked: Asking) => ask(here, { fetch, ...asked })

/** An issuer of tokens with its keys at an address. */
async function issuer() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256' }] })
  const server = createServer((_, response) => response.end(keys))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const exp = Math.floor(Date.now() / 1_000) + 300
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`,
    token(claims: Readonly<Record<string, unknown>>): string {
      const payload = { iss: 'https://login.example.com/', aud: 'chat', exp, ...claims }
      const text = `${part({ alg: 'ES256', kid: 'k' })}.${part(payload)}`
      const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      return `${text}.${signature.toString('base64url')}`
    },
  }
}

describePage('docs/keys.md', {
  list: async ({ run }) => {
    const gateway = (await run()).exports.gateway as Gateway
    const status = async (key: string, model: string) => (await asking(gateway, { key, model })).status
    expect(await Promise.all([status('sk-ann', 'large'), status('sk-bob', 'small')])).toEqual([200, 200])
    expect(await Promise.all([status('sk-bob', 'large'), status('sk-else', 'small')])).toEqual([403, 401])
  },

  issue: async ({ run }) => {
    const file = join(temporaryFolder(), 'keys.db')
    const { exports, printed } = await run({ SLUICE_DB: `file:${file}` })
    const { database, gateway, issued } = exports as {
      database: Database
      gateway: Gateway
      issued: IssuedKey
    }
    onTestFinished(() => database.close())
    const { key, stored } = issued
    const { id } = stored
    expect(printed).toEqual([key])
    expect(key).toMatch(new RegExp(`^sluice_${id}_[0-9A-Za-z]{49}$`))
    expect([isIssuedKey(key), isIssuedKey(`${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`)]).toEqual([
      true,
      false,
    ])
    const got = await asking(gateway, { key, model: 'small' })
    expect(got).toMatchObject({ status: 200, text: '12 * 7 = 84' })
    expect(got.headers.get('x-ratelimit-limit-requests')).toBe('10')
    expect(await asking(gateway, { key, model: 'large' })).toMatchObject({ status: 403 })

    // Another process: it has nothing in memory.
    const fresh = () =>
      createGateway({
        authenticate: apiKeys(database.keys),
        route: models({ small: local()('small'), large: local()('large') }),
      })
    const [listed] = await database.keys.list()
    expect(listed).toMatchObject({ id, name: "Ann's notebook", tags: { team: 'search' }, disabled: false })
    expect(JSON.stringify(listed)).not.toContain(key.slice(-49))
    await database.keys.update(id, { models: null })
    expect(await asking(fresh(), { key, model: 'large' })).toMatchObject({ status: 200 })
    const rotated = await database.keys.rotate(id, { overlapMs: 60_000 })
    for (const secret of [key, rotated.key])
      expect(await asking(fresh(), { key: secret, model: 'small' })).toMatchObject({ status: 200 })
    const again = await database.keys.rotate(id)
    expect(again.stored.id).toBe(id)
    expect(await asking(fresh(), { key: rotated.key, model: 'small' })).toMatchObject({ status: 401 })
    await database.keys.update(id, { disabled: true })
    expect(await asking(fresh(), { key: again.key, model: 'small' })).toMatchObject({ status: 401 })
    await database.keys.update(id, { disabled: false })
    expect(await asking(fresh(), { key: again.key, model: 'small' })).toMatchObject({ status: 200 })
    expect([await database.keys.delete(id), await database.keys.delete(id)]).toEqual([true, false])
    expect(await asking(fresh(), { key: again.key, model: 'small' })).toMatchObject({ status: 401 })
  },

  report: async ({ run }) => {
    const authenticate = (await run()).exports.authenticate as Authenticator
    const reported: unknown[] = []
    const request = new Request(here, { headers: { 'x-token': 'token-1' } })
    expect(await authenticate(request, undefined, failure => reported.push(failure))).toBeUndefined()
    expect(reported).toEqual([{ reason: 'disabled', id: 'ann' }])
  },

  jwt: async ({ run }) => {
    const { url, token } = await issuer()
    const gateway = (await run({ JWKS_URL: url })).exports.gateway as Gateway
    const statusOf = async (key: string) => (await asking(gateway, { key })).status
    expect(await statusOf('sk-ann')).toBe(200)
    const eve = { sub: 'eve', team: 'search' }
    expect(await statusOf(token(eve))).toBe(200)
    for (const wrong of [
      { team: 'search' },
      { sub: 'eve' },
      { ...eve, aud: 'other' },
      { ...eve, iss: 'https://elsewhere.example.com/' },
      { ...eve, exp: 1_000 },
      { ...eve, exp: undefined },
    ])
      expect(await statusOf(token(wrong)), JSON.stringify(wrong)).toBe(401)
    expect(await statusOf(`${token(eve).slice(0, -4)}AAAA`)).toBe(401)
    // It stands as it is written, too: nobody is asked before a token comes.
    await run()
  },
})
