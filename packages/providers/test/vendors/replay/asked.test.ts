import { createGateway, models } from '@sluice/core'
import { sendRawRequest, startUpstream, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { mounts } from '../../../../../test/e2e/mounts/mounts.ts'
import { type Asked, asked, inexpressible } from './asked.ts'
import { filled } from './filled.ts'
import { longestText, textsWithin } from './held.ts'
import { valuesAt, without } from './json-paths.ts'
import { present, recordedAsks, type VendorName, vendorNames } from './recordings.ts'
import { vendors } from './vendors.ts'

describe.skipIf(!present)('recorded requests (skipped where ../shared/fixtures is absent)', () => {
  it('are asked for, or cannot be: each is one or the other', () => {
    const names = recordedAsks.map(({ name }) => name)
    expect([...asked.keys(), ...inexpressible.keys()].sort()).toEqual(names.sort())
    for (const why of inexpressible.values()) expect(why).toMatch(/\S+ \S+/)
  })

  it('are not copied: no request has a long text', () => {
    for (const [name, request] of asked) {
      for (const text of textsWithin(request)) expect(text.length, name).toBeLessThanOrEqual(longestText)
    }
  })

  describe.each(vendorNames)('%s', vendor => {
    const own = recordedAsks.filter(ask => ask.vendor === vendor && asked.has(ask.name))

    it.each(own.map(ask => [ask.name, ask] as const))('%s', async (name, recorded) => {
      const asking = asked.get(name)!
      const sent = await sentFor(vendor, asking, filled(asking.ask, recorded.body) as object)
      expect(sent.path).toBe(asking.path)
      expect(sent.headers).toMatchObject(vendors[vendor].headers)
      const { canonical = body => body } = vendors[vendor]
      let ours: unknown = canonical(sent.json as Record<string, unknown>)
      let theirs: unknown = canonical(recorded.body)
      for (const [path, differs] of Object.entries(asking.differs ?? {})) {
        const [here, there] = [valuesAt(ours, path), valuesAt(theirs, path)]
        expect(here, `${path} differs`).not.toEqual(there)
        if (typeof differs !== 'string') {
          expect(here, path).toEqual(differs.ours === null ? [] : [filled(differs.ours, recorded.body)])
        }
      }
      for (const path of Object.keys(asking.differs ?? {})) {
        ours = without(ours, path)
        theirs = without(theirs, path)
      }
      expect(ours).toEqual(theirs)
    })
  })
})

/** What the vendor gets when the gateway is asked. */
async function sentFor(vendor: VendorName, { model, options }: Asked, ask: object) {
  // A refusal, so that the gateway asks once whatever it asked.
  const upstream = await startUpstream(steps.reply({ error: { message: 'Enough.' } }, { status: 400 }))
  try {
    const target = vendors[vendor].connect(upstream.url, options)(model)
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ asked: target }),
      maxAttempts: 1,
    })
    const { port, close } = await mounts['node http']!(gateway)
    try {
      const answer = await sendRawRequest({ port, body: { model: 'asked', ...ask } })
      expect(upstream.requests.length, answer.body).toBe(1)
      return upstream.requests[0]!
    } finally {
      await gateway.close({ drainMs: 1 })
      await close()
    }
  } finally {
    await upstream.close()
  }
}
