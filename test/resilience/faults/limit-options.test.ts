import {
  apiKeys,
  budget,
  concurrent,
  createGateway,
  type GatewayOptions,
  limits,
  models,
  requests,
  tokens,
} from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { imageFetcher, serve, toNodeListener } from '@sluice/node'
import { openaiCompatible } from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { connected, headOf, wholeRequest } from './harness/connected.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** What a limit may be by mistake: of the environment, of a calculation, of a JSON file. */
const noLimits = ['10 mb', '1000', '', Number.NaN, -1, Number.NEGATIVE_INFINITY, null, {}, [], true, 10n]
const noSpans = [...noLimits, 0, Number.POSITIVE_INFINITY, 2 ** 31]
const noCounts = [...noLimits, 0, 1.5, Number.POSITIVE_INFINITY]

const vendor = { name: 'v', baseURL: 'http://127.0.0.1:9/v1', apiKey: 'k' }
const parts = {
  authenticate: () => ({ id: 'a' }),
  route: models({ m: openaiCompatible(vendor)('m') }),
}

/** Every bound of a gateway that is a group of options. */
const groups = {
  requestLimits: [
    'maxBytes',
    'maxDepth',
    'maxElements',
    'maxMembers',
    'deadlineMs',
    'minBytesPerSecond',
    'minRateGraceMs',
    'maxUploads',
    'uploadGraceMs',
    'maxUploadBytes',
    'maxTotalUploadBytes',
  ],
  timeouts: ['policyMs', 'connectMs', 'firstByteMs', 'responseMs', 'idleMs', 'totalMs'],
  stream: ['keepAliveMs', 'holdMs'],
}
const counts = ['maxUploads', 'maxUploadBytes', 'maxTotalUploadBytes']
const bounds = Object.entries(groups).flatMap(([group, names]) => names.map(name => [group, name] as const))

describe('F13 a limit that is none', () => {
  it.each(bounds)('%s.%s is refused when the gateway is made, by its name', (group, name) => {
    for (const value of counts.includes(name) ? noCounts : noSpans) {
      const options = { ...parts, [group]: { [name]: value } } as unknown as GatewayOptions
      expect(() => createGateway(options)).toThrow(TypeError)
      expect(() => createGateway(options)).toThrow(`${group}.${name}: got `)
    }
  })

  it.each(Object.keys(groups))('%s is refused where it is no object, or has a name of its own', group => {
    for (const value of [...noLimits, { maxbytes: 1 }, { __proto__: null, 'max-bytes': 1 }]) {
      if (value !== null && typeof value === 'object' && Object.keys(value).length === 0) continue
      expect(() => createGateway({ ...parts, [group]: value } as unknown as GatewayOptions)).toThrow(
        TypeError,
      )
    }
  })

  it.each([
    [
      { maxBytes: 67_108_865 },
      /requestLimits\.maxBytes: got 67108865, expected at most requestLimits\.maxUploadBytes/,
    ],
    [{ maxUploadBytes: 536_870_913 }, /requestLimits\.maxUploadBytes: got 536870913, .*maxTotalUploadBytes/],
    [{ maxUploadBytes: 1_000 }, /requestLimits\.maxBytes: got 26214400, expected at most .* which is 1000/],
  ])(
    '%j of requestLimits is refused: such a body could be sent, and never received',
    (requestLimits, told) => {
      expect(() => createGateway({ ...parts, requestLimits })).toThrow(told)
    },
  )

  it('maxAttempts is refused when the gateway is made', () => {
    for (const value of noCounts) {
      const options = { ...parts, maxAttempts: value } as unknown as GatewayOptions
      expect(() => createGateway(options)).toThrow(/maxAttempts: got .*, expected a whole number from 1/)
    }
  })

  it('of requests, of callers that are remembered, and of keys is refused when the policy is made', () => {
    for (const value of noCounts) {
      expect(() => requests(value as never)).toThrow(TypeError)
      expect(() => tokens(value as never).per('minute')).toThrow(TypeError)
      expect(() => concurrent(value as never)).toThrow(TypeError)
      expect(() => limits([{ kind: 'requests', limit: value as never, per: 'minute' }])).toThrow(TypeError)
      expect(() => memoryLimitStore({ maxKeys: value as never })).toThrow(TypeError)
      for (const name of ['instances', 'storeTimeoutMs', 'leaseMs', 'maxOutputTokens']) {
        expect(() => limits([], { [name]: value as never })).toThrow(new RegExp(`${name}: got `))
      }
      for (const name of ['maxMs', 'maxQueued']) {
        const wait = { maxMs: 1, maxQueued: 1, [name]: value as never }
        expect(() => limits([], { wait })).toThrow(new RegExp(`wait\\.${name}: got `))
      }
      if (value === null) continue
      expect(() => apiKeys(() => undefined, { maxUnknown: value as never })).toThrow(TypeError)
    }
    for (const value of noSpans.filter(it => it !== null)) {
      expect(() => apiKeys(() => undefined, { cacheMs: value as never })).toThrow(TypeError)
    }
    for (const value of [...noSpans, 9_000_001]) {
      expect(() => budget(value as never, 'usd').per('day')).toThrow(TypeError)
    }
    for (const window of ['', 'min', 'constructor', '__proto__', 'toString', undefined]) {
      expect(() => requests(1).per(window as never)).toThrow(TypeError)
      expect(() => budget(1, 'usd').per(window as never)).toThrow(TypeError)
    }
    for (const format of ['', '^sk-', {}, null, 1]) {
      expect(() => apiKeys(() => undefined, { format: format as never })).toThrow(TypeError)
    }
    expect(() => apiKeys([{ id: 'ann', key: 'x'.repeat(4_097) }])).toThrow(TypeError)
    expect(() => apiKeys([{ id: 'ann', key: 'pk-1' }], { format: /^sk-/ })).toThrow(TypeError)
  })

  it('of a vendor is refused when its targets are made, or the gateway', () => {
    for (const value of noCounts.filter(it => it !== null)) {
      const make = () => {
        const m = openaiCompatible({ ...vendor, maxConcurrent: value as never })('m')
        createGateway({ ...parts, route: models({ m }) })
      }
      expect(make).toThrow(TypeError)
    }
  })

  it('of a server is refused when it is made', async () => {
    const gateway = createGateway(parts)
    for (const writeStallMs of [...noLimits, Number.POSITIVE_INFINITY]) {
      const wrong = { writeStallMs: writeStallMs as never }
      expect(() => toNodeListener(gateway, wrong)).toThrow(
        /toNodeListener\(\): writeStallMs: got .*, expected milliseconds/,
      )
      await expect(serve(gateway, { port: 0, signals: false, ...wrong })).rejects.toThrow(TypeError)
    }
    for (const drainMs of noLimits) {
      const serving = serve(gateway, { port: 0, signals: false, drainMs: drainMs as never })
      await expect(serving).rejects.toThrow(/serve\(\): drainMs: got .*, expected milliseconds/)
      await expect(gateway.close({ drainMs: drainMs as never })).rejects.toThrow(TypeError)
    }
  })

  it('of images is refused when the fetcher is made', () => {
    for (const name of ['maxBytes', 'maxImages', 'maxTotalBytes', 'timeoutMs']) {
      for (const value of noLimits.filter(it => it !== null)) {
        expect(() => imageFetcher({ [name]: value } as never), `${name} ${String(value)}`).toThrow(TypeError)
      }
    }
  })

  overServers(mount => {
    it('left out is its default, never none', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, {
        models: { m: upstream },
        requestLimits: { maxBytes: undefined as never },
      })
      expect((await (await connected(site, wholeRequest(site))).response())?.status).toBe(200)
      const over = await connected(site, headOf(site, `Content-Length: ${26_214_401}`))
      expect((await over.response())?.status).toBe(413)
    })
  })
})
