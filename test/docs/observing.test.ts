import { join } from 'node:path'
import type { EndEvent, Gateway, Observer } from '@sluice/core'
import { requestLog } from '@sluice/telemetry'
import { type PrometheusMetrics, prometheus } from '@sluice/telemetry/prometheus'
import { expect, it, vi } from 'vitest'
import { parse } from 'yaml'
import { ended } from '../../packages/telemetry/src/fake-events.ts'
import { ask } from './runner/ask.ts'
import { describePage } from './runner/describe-page.ts'
import { fencesOf, readPage } from './runner/markdown.ts'
import { temporaryFolder } from './runner/temporary-folder.ts'

const page = 'docs/observing.md'

/** What is written to standard output meanwhile. */
function outputWatched(): string[] {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation(text => {
    written.push(String(text))
    return true
  })
  return written
}

describePage(page, {
  observability: async ({ run }) => {
    const url = await (await run()).url(8787)
    const written = outputWatched()
    expect(await ask(`${url}/v1`)).toMatchObject({ status: 200 })
    await expect.poll(() => written.join('')).toContain('demo')
    vi.restoreAllMocks()
    expect(await (await fetch(`${url}/metrics`)).text()).toContain(
      'sluice_requests_total{operation="generate",dialect="chat",model="demo",status="200",outcome="completed"} 1',
    )
    for (const path of probedPaths()) expect((await fetch(url + path)).status, path).toBe(200)
  },

  logger: async ({ run }) => {
    const { exports } = await run()
    expect(() =>
      (exports.observe as Observer)({ type: 'store', store: 'keys', state: 'working', error: undefined }),
    ).not.toThrow()
  },

  'request-ids': async ({ run }) => {
    const { exports } = await run()
    const { fetch } = exports.gateway as Gateway
    const headers = { 'x-request-id': 'from-the-caller' }
    const told = await fetch('http://gateway/v1/models', { headers })
    expect([told.status, told.headers.get('x-client-request-id')]).toEqual([401, 'from-the-caller'])
  },

  probes: async ({ run }) => {
    const running = await run({ SLUICE_DB: `file:${join(temporaryFolder(), 'kept.db')}` })
    const ready = await fetch(`${await running.url(8787)}/readyz`)
    expect(await ready.json()).toEqual({ status: 'ok', checks: { gateway: 'ok', database: 'ok' } })
  },

  prometheus: async ({ run }) => {
    const { endpoint } = (await run()).exports.metrics as PrometheusMetrics
    const { credentials } = parse(codeOf('scrape')).scrape_configs[0].authorization
    const asked = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return endpoint.fetch(new Request('http://there.test/metrics', { headers }), '/metrics')
    }
    expect((await asked(credentials)).status).toBe(200)
    expect((await asked('other')).status).toBe(401)
  },

  targets: async ({ run }) => {
    expect((await run()).printed).toEqual(['demo local/large closed local/small closed'])
  },
})

it('names every metric with its type and labels', () => {
  const { registry } = prometheus({ tagLabels: ['team'] })
  const metrics = registry.getMetricsAsArray() as unknown as {
    name: string
    type: string
    labelNames: string[]
  }[]
  const rows = readPage(page).matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) ?\| /gm)
  const described = [...rows].map(([, name, type, labels = '']) => ({
    name: `sluice_${name}`,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)]
      .map(([, label]) => label)
      .concat(labels.includes('+ tags') ? ['tag_team'] : []),
  }))
  expect(described).toEqual(metrics.map(({ name, type, labelNames }) => ({ name, type, labels: labelNames })))
})

it('names every field of a line', () => {
  const [line = ''] = linesOf(ended())
  const rows = readPage(page).matchAll(/^\| (`\w+`(?:, `\w+`)*) \| /gm)
  const described = [...rows].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  )
  expect(described.slice(0, Object.keys(JSON.parse(line)).length)).toEqual(Object.keys(JSON.parse(line)))
})

it('asks metrics that exist', () => {
  const { registry } = prometheus({ tagLabels: ['team'] })
  const names = registry.getMetricsAsArray().map(({ name }) => name)
  const asked = [...readPage(page).matchAll(/sluice_\w+(?=[{[])/g)].map(([name]) =>
    name.replace(/_bucket$/, ''),
  )
  expect(asked.length).toBeGreaterThan(4)
  for (const name of asked) expect(names).toContain(name)
})

function linesOf(event: EndEvent): string[] {
  const lines: string[] = []
  requestLog({ write: line => lines.push(line) })(event)
  return lines
}

function probedPaths(): string[] {
  const [container] = parse(codeOf('kubernetes')).containers
  return [container.livenessProbe.httpGet.path, container.readinessProbe.httpGet.path]
}

function codeOf(name: string): string {
  return fencesOf(page).find(fence => fence.name === name)!.code
}
