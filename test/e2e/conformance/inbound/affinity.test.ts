import {
  apiKeys,
  cheapest,
  fallback,
  fastest,
  hedge,
  leastBusy,
  type Route,
  split,
  sticky,
  weighted,
} from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { startUpstream, steps, type Upstream } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { InboundSite } from './inbound-site.ts'
import { type Open, overPlaces } from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

type Name = 'one' | 'other'

/** A server that can be down. */
interface Server {
  readonly upstream: Upstream
  failsWith: number | undefined
}

async function startServer(): Promise<Server> {
  const server: { upstream?: Upstream; failsWith: number | undefined } = { failsWith: undefined }
  server.upstream = await startUpstream(() =>
    server.failsWith === undefined
      ? steps.answer()
      : steps.reply({ error: { message: 'Not now.' } }, { status: server.failsWith }),
  )
  onTestFinished(() => server.upstream!.close())
  return server as Server
}

const waysToChoose = ['split', 'weighted', 'sticky', 'leastBusy', 'fastest', 'cheapest', 'fallback', 'hedge']

/** A gateway over two servers, with a model for every way to choose between them. */
async function serving(open: Open, options: object = {}) {
  const servers: Readonly<Record<Name, Server>> = { one: await startServer(), other: await startServer() }
  const target = (name: Name) => {
    const { baseURL } = servers[name].upstream
    return openaiCompatible({ name, baseURL, apiKey: 'k' })('m')
  }
  const [a, b] = [target('one'), target('other')]
  const table: Readonly<Record<string, Route>> = {
    split: split({ a: [a, 0.5], b: [b, 0.5] }),
    settings: split({ a: [a, 0.5], b: [{ ...a, parameters: { temperature: 0 } }, 0.5] }),
    weighted: weighted([a, 1], [b, 1]),
    sticky: sticky('key', a, b),
    leastBusy: leastBusy(a, b),
    fastest: fastest(a, b),
    cheapest: cheapest(a, b),
    fallback: fallback([a, b]),
    hedge: hedge(a, b, { afterMs: 10_000 }),
  }
  const authenticate = apiKeys([
    { id: 'ann', key: 'good-key' },
    { id: 'bob', key: 'bob-key' },
  ])
  const site = await open(table, { authenticate, ...options })
  /** Makes a request, and returns the server that answered it. */
  const chosen = async (request: () => ReturnType<InboundSite['respond']>) => {
    const before = servers.one.failsWith === undefined ? servers.one.upstream.requests.length : Infinity
    const answer = await request()
    expect(answer.status, answer.body).toBe(200)
    const server: Name = servers.one.upstream.requests.length > before ? 'one' : 'other'
    return { server, json: answer.json as Loose }
  }
  /** Asks for a response. */
  const turn = async (model: string, fields: object, key = 'good-key') => {
    const { server, json } = await chosen(() => site.respond({ model, input: 'Go on.', ...fields }, { key }))
    return { server, id: json.id as string, item: json.output.at(-1).id as string }
  }
  return { site, servers, chosen, turn }
}

const range = (count: number) => Array.from({ length: count }, (_, at) => at)

overPlaces(open => {
  describe('the target of a stored response', () => {
    it.each(waysToChoose)('G33 R52 T38 answers what continues it: %s', async model => {
      const { servers, turn } = await serving(open)
      const begun = []
      for (const at of range(8)) {
        // Each way but a split prefers one: a failure of it begins conversations at the other.
        if (model !== 'split') servers.one.failsWith = at % 2 === 0 ? 500 : undefined
        begun.push(await turn(model, {}))
      }
      servers.one.failsWith = undefined
      if (model !== 'split') expect(begun.some(({ server }) => server === 'other')).toBe(true)
      for (const { id, server, item } of begun) {
        const next = await turn(model, { previous_response_id: id })
        const last = await turn(model, { previous_response_id: next.id, stream: false })
        const referred = await turn(model, { input: [{ type: 'item_reference', id: item }] })
        expect([next.server, last.server, referred.server]).toEqual([server, server, server])
      }
    })

    it('G33 keeps a conversation in an arm that differs in its settings only', async () => {
      const { servers, turn } = await serving(open)
      const temperature = () => (servers.one.upstream.requests.at(-1)!.json as Loose).temperature
      const found = new Set<unknown>()
      for (const _ of range(10)) {
        const { id } = await turn('settings', {})
        const first = temperature()
        found.add(first)
        for (const _ of range(3)) {
          await turn('settings', { previous_response_id: id })
          expect(temperature()).toBe(first)
        }
      }
      // By chance all ten are in one arm once in 512 times.
      expect(found.size).toBeLessThanOrEqual(2)
    })

    it('G33 is left where it is not well, and another one that answered is kept then', async () => {
      const { servers, turn } = await serving(open, { breaker: undefined })
      const first = await turn('fallback', {})
      expect(first.server).toBe('one')
      servers.one.failsWith = 503
      const second = await turn('fallback', { previous_response_id: first.id })
      expect(second.server).toBe('other')
      servers.one.failsWith = undefined
      expect((await turn('fallback', { previous_response_id: second.id })).server).toBe('other')
      servers.other.failsWith = 429
      expect((await turn('fallback', { previous_response_id: second.id })).server).toBe('one')
      servers.other.failsWith = undefined
      // It is in cooldown, and not called.
      const calls = servers.other.upstream.requests.length
      expect((await turn('fallback', { previous_response_id: second.id })).server).toBe('one')
      expect(servers.other.upstream.requests).toHaveLength(calls)
    })
  })

  describe.each<[string, (session: string) => { fields: object; headers: Record<string, string> }]>([
    ['prompt_cache_key', session => ({ fields: { prompt_cache_key: session }, headers: {} })],
    ['session-id', session => ({ fields: {}, headers: { 'session-id': session } })],
    [
      'x-claude-code-session-id',
      session => ({ fields: {}, headers: { 'x-claude-code-session-id': session } }),
    ],
  ])('a conversation that the caller names by %s, in the Responses API', (_, named) => {
    it.each(['split', 'weighted'])('G33 has one target, and many are shared: %s', async model => {
      const { site, chosen } = await serving(open)
      const ask = async (session: string) => {
        const { fields, headers } = named(session)
        return (await chosen(() => site.respond({ model, store: false, ...fields }, { headers }))).server
      }
      const sessions = range(24).map(at => `session ${at}`)
      const first: Name[] = []
      for (const session of sessions) first.push(await ask(session))
      expect(new Set(first).size).toBe(2)
      for (const [at, session] of sessions.entries()) expect(await ask(session)).toBe(first[at])
    })
  })

  describe.each<[string, (session: string) => { fields: object; headers: Record<string, string> }]>([
    [
      'x-claude-code-session-id',
      session => ({ fields: {}, headers: { 'x-claude-code-session-id': session } }),
    ],
    [
      'metadata.user_id',
      session => ({
        fields: { metadata: { user_id: JSON.stringify({ device_id: 'd', session_id: session }) } },
        headers: {},
      }),
    ],
  ])('a conversation that the caller names by %s, in the Messages API', (_, named) => {
    it.each(['split', 'weighted'])('G33 has one target, and many are shared: %s', async model => {
      const { site, chosen } = await serving(open)
      const ask = async (session: string) => {
        const { fields, headers } = named(session)
        return (await chosen(() => site.message({ model, ...fields }, { headers }))).server
      }
      const sessions = range(24).map(at => `session ${at}`)
      const first: Name[] = []
      for (const session of sessions) first.push(await ask(session))
      expect(new Set(first).size).toBe(2)
      for (const [at, session] of sessions.entries()) expect(await ask(session)).toBe(first[at])
    })
  })

  it('G33 the target before a name, and a name before a session', async () => {
    const { site, turn, chosen } = await serving(open)
    const names = range(12).map(at => `name ${at}`)
    for (const name of names) {
      const { id, server } = await turn('weighted', {})
      expect((await turn('weighted', { previous_response_id: id, prompt_cache_key: name })).server).toBe(
        server,
      )
      const fields = { model: 'weighted', prompt_cache_key: name, store: false }
      const byName = (await chosen(() => site.respond(fields))).server
      for (const session of ['x', 'y', 'z']) {
        const headers = { 'session-id': session }
        expect((await chosen(() => site.respond(fields, { headers }))).server).toBe(byName)
      }
    }
  })

  it('G33 two callers with one name of a conversation choose for themselves', async () => {
    const { turn } = await serving(open)
    const differs: boolean[] = []
    for (const at of range(24)) {
      const fields = { prompt_cache_key: `name ${at}`, store: false }
      const [ann, bob] = [await turn('weighted', fields), await turn('weighted', fields, 'bob-key')]
      differs.push(ann.server !== bob.server)
    }
    expect(new Set(differs).size).toBe(2)
  })
})
