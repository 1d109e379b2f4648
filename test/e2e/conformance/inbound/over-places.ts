import {
  apiKeys,
  createGateway,
  type Gateway,
  type GatewayOptions,
  type ModelEntry,
  models,
} from '@sluice/core'
import { anthropic, openaiCompatible } from '@sluice/providers'
import { startUpstream, type Upstream, type Script as UpstreamScript } from '@sluice/testing'
import { describe, inject, onTestFinished } from 'vitest'
import { families } from '../../families/families.ts'
import { type Question, type Script, startVendor, type Vendor } from '../../families/family.ts'
import { mounts } from '../../mounts/mounts.ts'
import { InboundSite } from './inbound-site.ts'

/** Opens a gateway for one test: with a table of models, or as it is given. */
export type Open = (
  table: Readonly<Record<string, ModelEntry>>,
  options?: Partial<GatewayOptions>,
) => Promise<InboundSite>

/** Mounts a gateway for one test. */
export type Mount = (gateway: Gateway) => Promise<InboundSite>

/** Registers tests for each server of the run: Node's own, and Express with the thorough tests. */
export function overPlaces(tests: (open: Open, mount: Mount, place: string) => void): void {
  describe.each(inject('servers'))('%s', place => {
    const mount: Mount = async gateway => {
      const running = await mounts[place]!(gateway)
      onTestFinished(() => running.close())
      const site = new InboundSite()
      site.settle(running)
      return site
    }
    const open: Open = (table, options = {}) => {
      const gateway = testGateway(table, options)
      onTestFinished(() => gateway.close({ drainMs: 1 }))
      return mount(gateway)
    }
    tests(open, mount, place)
  })
}

/** A gateway with the keys `good-key`, and `narrow-key` for a model of another name. It tries nothing twice unless told. */
export function testGateway(
  table: Readonly<Record<string, ModelEntry>>,
  options: Partial<GatewayOptions> = {},
): ReturnType<typeof createGateway> {
  return createGateway({
    authenticate: apiKeys([
      { id: 'ann', key: 'good-key' },
      { id: 'bob', key: 'narrow-key', models: ['other'] },
    ]),
    route: models(table),
    retry: false,
    breaker: false,
    ...options,
  })
}

/** Vendors of all families, by the name of the family: as models, and what they were asked. */
export interface Vendors {
  readonly table: Readonly<Record<string, ModelEntry>>
  asked(family: string): readonly Question[]
}

/** The names of the families, which are the names of their models. */
export const familyNames = families.map(({ name }) => name)

/** Those that do not speak the Messages API. */
export const foreignNames = familyNames.filter(name => name !== 'anthropic')

/** Starts vendors of all families for one test. */
export async function startVendors(script: Script): Promise<Vendors> {
  const entries = await Promise.all(
    families.map(async (family): Promise<[string, Vendor]> => {
      const vendor = await startVendor(family, script)
      onTestFinished(() => vendor.close())
      return [family.name, vendor]
    }),
  )
  const vendors = new Map(entries)
  return {
    table: Object.fromEntries(entries.map(([name, { entry }]) => [name, entry])),
    asked: family => vendors.get(family)!.questions,
  }
}

/** A vendor of raw steps, as the model of a server with chat completions, with the Messages API, and with the Responses API. */
export interface RawVendor {
  readonly upstream: Upstream
  readonly table: { readonly chat: ModelEntry; readonly native: ModelEntry; readonly responses: ModelEntry }
}

/** Starts a vendor that does what its scripts say, for one test. */
export async function startRawVendor(...scripts: UpstreamScript[]): Promise<RawVendor> {
  const upstream = await startUpstream(...scripts)
  onTestFinished(() => upstream.close())
  const { baseURL } = upstream
  const chat = openaiCompatible({ name: 'raw', baseURL, apiKey: 'sk-vendor-canary' })('vendor-model')
  const native = anthropic({ baseURL, apiKey: 'sk-vendor-canary' })('vendor-model')
  const speaking = openaiCompatible({
    name: 'raw',
    baseURL,
    apiKey: 'sk-vendor-canary',
    speaks: ['responses'],
  })
  return { upstream, table: { chat, native, responses: speaking('vendor-model') } }
}
