import { parser } from '@prometheus-io/lezer-promql'
import type { Hook } from '@sluice/core'
import { findClosedPort, startUpstream, steps, usage } from '@sluice/testing'
import { startService } from 'sluice'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readMetrics, total } from '../e2e/telemetry/exposition.ts'
import { parseDeploy, readDeploy } from './files.ts'

/** A metric that a query selects, with the labels that the query names at it or around it. */
interface Selection {
  readonly query: string
  readonly metric: string
  readonly labels: readonly string[]
}

/** What Prometheus adds to each series of a target. */
const addedByPrometheus = ['job', 'instance']
/** What only exists in Prometheus. */
const ownMetrics = ['up']

/** The metrics of a query. Throws for one that is no PromQL. Grafana's variables stand for values. */
function selectionsOf(query: string): Selection[] {
  const text = query.replaceAll('$__rate_interval', '5m')
  const metrics: string[] = []
  const labels: string[] = []
  parser.parse(text).iterate({
    enter({ name, type, from, to }) {
      if (type.isError) throw new Error(`No PromQL at ${from}: ${text}`)
      if (name === 'Identifier') metrics.push(text.slice(from, to))
      if (name === 'LabelName') labels.push(text.slice(from, to))
    },
  })
  return metrics.map(metric => ({
    query,
    metric,
    labels: [...new Set(labels)].filter(label => !addedByPrometheus.includes(label)),
  }))
}

interface Panel {
  readonly title: string
  readonly type: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
  readonly datasource?: { readonly uid: string }
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly query: string }[]
  }
}

const dashboard: Dashboard = JSON.parse(readDeploy('grafana/dashboards/sluice.json'))
const targets = dashboard.panels.flatMap(({ targets = [] }) => targets)
const { groups } = parseDeploy('prometheus/alerts.yml') as unknown as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[]
}
const rules = groups.flatMap(({ rules }) => rules)
const queries = [...targets.map(({ expr }) => expr), ...rules.map(({ expr }) => expr)]
const variables = dashboard.templating.list.filter(({ type }) => type === 'query')

const broken: Hook = {
  name: 'broken',
  onFailure: 'open',
  onRequest: () => {
    throw new Error('It fails.')
  },
}

/** The page of metrics of a gateway to which everything has happened that the queries ask for. */
async function metricsOfService(): Promise<string> {
  const good = await startUpstream(steps.answer({ usage: usage(9, 12) }))
  const rejecting = await startUpstream(steps.reply({ error: { message: 'No.' } }, { status: 401 }))
  const failing = await startUpstream(steps.reply({ error: { message: 'No.' } }, { status: 500 }))
  onTestFinished(async () => void (await Promise.all([good, rejecting, failing].map(each => each.close()))))
  const provider = (baseURL: string) => ({ type: 'openai-compatible', baseURL, apiKey: 'sk-vendor' })
  const service = await startService(
    {
      server: { port: 0 },
      providers: {
        good: provider(good.baseURL),
        rejecting: provider(rejecting.baseURL),
        failing: provider(failing.baseURL),
      },
      models: {
        good: 'good/model',
        either: ['failing/model', 'good/model'],
        rejecting: 'rejecting/model',
        unpriced: 'good/other',
      },
      keys: [{ id: 'ann', key: 'sk-ann' }],
      limits: [{ kind: 'requests', limit: 1_000, per: 'minute' }],
      prices: { 'good/model': { input: 1, output: 2 } },
      bundledPrices: false,
      state: { redis: `redis://127.0.0.1:${await findClosedPort()}` },
      responses: { store: 'memory' },
      telemetry: { log: 'off' },
      hooks: [broken],
      retry: false,
      breaker: { failures: 2 },
    },
    {
      env: {},
      cwd: process.cwd(),
      print: () => {},
      log: () => {},
      terminal: false,
      colours: false,
      now: Date.now,
    },
  )
  onTestFinished(() => service.close())
  const send = async (model: string, { key = 'sk-ann', stream = false } = {}) => {
    const response = await fetch(`${service.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] }),
    })
    await response.text()
  }
  for (let sent = 0; sent < 6; sent++) await send('either')
  await send('good', { stream: true })
  await send('unpriced')
  await send('rejecting')
  await send('good', { key: 'sk-wrong' })
  await send('no-such-model')
  const page = async () => (await fetch(`${service.url}/metrics`)).text()
  await vi.waitFor(
    async () => expect(total(readMetrics(await page()), 'sluice_requests_total')).toBe(11),
    5_000,
  )
  return page()
}

describe('the dashboard and the alerts', () => {
  it('select metrics and labels that a running gateway exports', async () => {
    const families = readMetrics(await metricsOfService())
    const samples = families.flatMap(family => family.samples)
    const declared = families.map(({ name }) => name)
    const selections = [
      ...queries.flatMap(selectionsOf),
      ...variables.map(({ query }) => {
        const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
        return { query, metric, labels: [label] }
      }),
    ]
    expect(selections.length).toBeGreaterThan(40)
    const unknown = selections
      .filter(({ metric }) => !ownMetrics.includes(metric))
      .flatMap(({ query, metric, labels }) => {
        const exported = new Set(
          samples.filter(({ name }) => name === metric).flatMap(({ labels }) => Object.keys(labels)),
        )
        // What has no labels in a query may have no series yet.
        if (labels.length === 0 && declared.includes(metric)) return []
        if (exported.size === 0 && labels.length > 0) return [`${metric} has no series: ${query}`]
        if (!samples.some(({ name }) => name === metric)) return [`no metric ${metric}: ${query}`]
        return labels
          .filter(label => !exported.has(label))
          .map(label => `${metric} has no ${label}: ${query}`)
      })
    expect(unknown).toEqual([])
  })

  it('are PromQL, and a query that is none is found', () => {
    for (const query of queries) expect(selectionsOf(query).length, query).toBeGreaterThan(0)
    expect(() => selectionsOf('sum by (rate(x[5m])')).toThrow('No PromQL')
    expect(selectionsOf('sum by (a) (b{c="d"})')).toMatchObject([{ metric: 'b', labels: ['a', 'c'] }])
  })

  it('name in legends and texts only labels that their queries keep', () => {
    const named = [
      ...targets.map(({ expr, legendFormat }) => ({ expr, text: legendFormat, form: /\{\{(\w+)\}\}/g })),
      ...rules.map(({ expr, annotations }) => ({
        expr,
        text: annotations.summary,
        form: /\$labels\.(\w+)/g,
      })),
    ]
    const lost = named.flatMap(({ expr, text, form }) =>
      [...text.matchAll(form)].flatMap(([, label = '']) =>
        // Without an aggregation all labels stay.
        /\b(?:sum|max|min|avg|histogram_quantile)\b/.test(expr) &&
        !new RegExp(`by \\([^)]*\\b${label}\\b`).test(expr)
          ? [`${label} in ${expr}`]
          : [],
      ),
    )
    expect(lost).toEqual([])
  })

  it('have panels with a title, a query and a position of their own', () => {
    const taken = new Set<string>()
    for (const { title, type, targets = [], datasource, gridPos } of dashboard.panels) {
      expect(title).not.toBe('')
      if (type !== 'row') {
        expect(targets.length, title).toBeGreaterThan(0)
        expect(datasource?.uid, title).toBe(`$\{datasource}`)
      }
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(x, title).toBeLessThan(24)
          expect(taken.has(`${x},${y}`), `${title} covers another panel`).toBe(false)
          taken.add(`${x},${y}`)
        }
      }
    }
  })
})
