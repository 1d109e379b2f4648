import { apiKeys, type GatewayEvent, models } from '@sluice/core'
import { expect, it } from 'vitest'
import { completionOf } from '../../../e2e/conformance/completion-of.ts'
import type { Mount } from '../../../e2e/mounts/mounts.ts'
import { entryOf, serviceWith } from './service-with.ts'

/** Writes nonsense into all that can be reached from a value. */
function spoil(value: unknown, seen = new Set<unknown>()): void {
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  for (const key of Reflect.ownKeys(value)) {
    const before: unknown = Reflect.get(value, key)
    spoil(before, seen)
    if (typeof before === 'function') continue
    Reflect.set(value, key, typeof before === 'number' ? 999_999 : 'spoilt')
    if (!Array.isArray(value)) Reflect.deleteProperty(value, key)
  }
  Reflect.set(value, 'spoilt', true)
}

/** What functions of the user's change in what they are given. */
export function describeChanges(mount: Mount): void {
  it.each([false, true])(
    'what an observer does to its events is not seen by the caller; streamed: %s',
    async stream => {
      const kept: GatewayEvent[] = []
      const plain = await serviceWith(mount, {})
      const spoilt = await serviceWith(mount, {
        observe: event => {
          kept.push(structuredClone({ ...event, error: undefined, attempts: [] }) as GatewayEvent)
          spoil(event)
        },
      })
      for (const fields of [
        {},
        { model: 'none' },
        { messages: [] },
        { stream_options: { include_usage: true } },
      ]) {
        const asked = { stream, ...fields }
        const [expected, got] = [await plain.site.chat(asked), await spoilt.site.chat(asked)]
        expect(got.status).toBe(expected.status)
        expect(got.headers['content-type']).toBe(expected.headers['content-type'])
        expect(withoutIds(got.body)).toBe(withoutIds(expected.body))
      }
      expect(kept.map(({ type }) => type)).toEqual(['begin', 'end', 'end', 'begin', 'end', 'begin', 'end'])
    },
  )

  it('what a lease does to its usage is seen neither by the caller nor in the record', async () => {
    const lease = { headers: { 'x-room': '1' }, settle: (usage: unknown) => spoil(usage) }
    const { site, ends } = await serviceWith(mount, { limits: { admit: () => lease } })
    const { usage } = completionOf(await site.chat())
    expect(usage).toMatchObject({ prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 })
    expect((await ends.first()).usage).toMatchObject({ total_tokens: 21 })
  })

  it('what they do to a principal holds for no other request', async () => {
    const seen: unknown[] = []
    const { site, upstream } = await serviceWith(mount, {
      authenticate: apiKeys([{ id: 'ann', key: 'good-key', models: ['other'], tags: { plan: 'free' } }]),
      authorize: (principal, model) => {
        seen.push(structuredClone(principal))
        const allowed = principal.models?.includes(model) === true
        ;(principal.models as string[]).push('local')
        ;(principal.tags as Record<string, string>).plan = 'gold'
        return allowed
      },
    })
    for (let n = 0; n < 3; n++) expect((await site.chat()).status).toBe(403)
    const ann = { id: 'ann', source: 'api_keys', models: ['other'], tags: { plan: 'free' } }
    expect(seen).toEqual(Array(3).fill(ann))
    expect(upstream.requests).toHaveLength(0)
  })

  it.each(['route', 'limits'])(
    'a request that %s has spoilt is refused, and its room given back',
    async name => {
      const own = await serviceWith(mount, {})
      const table = models({ local: entryOf(own.upstream) })
      const { site, settled, ends } = await serviceWith(mount, {
        ...(name === 'route' && {
          route: (draft, context) => {
            spoil(draft.body)
            return table(draft, context)
          },
        }),
        ...(name === 'limits' && {
          limits: {
            admit: (_, draft) => {
              spoil(draft.body)
              return { headers: {}, settle: usage => void settled_(usage) }
            },
          },
        }),
      })
      const returned: unknown[] = []
      const settled_ = (usage: unknown) => returned.push(usage)
      expect((await site.chat()).status).toBe(400)
      expect(await ends.first()).toMatchObject({ outcome: 'refused', attempts: [] })
      expect([...settled, ...returned]).toEqual([undefined])
      expect(own.upstream.requests).toHaveLength(0)
    },
  )

  it('a route cannot have one model authorized and another one answered', async () => {
    const own = await serviceWith(mount, {})
    const table = models({ local: entryOf(own.upstream), cheap: entryOf(own.upstream) })
    const { site } = await serviceWith(mount, {
      authenticate: apiKeys([{ id: 'ann', key: 'good-key', models: ['cheap'] }]),
      route: (draft, context) => {
        const targets = table(draft, context)
        Reflect.set(draft, 'model', 'cheap')
        return targets
      },
    })
    expect((await site.chat()).status).toBe(403)
    expect(own.upstream.requests).toHaveLength(0)
  })
}

function withoutIds(text: string): string {
  return text.replace(/"(?:id|created)":(?:"[^"]*"|\d+)/g, '')
}
