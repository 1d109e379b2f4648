import { expect, it } from 'vitest'
import { readPage, tableUnder } from './runner/markdown.ts'

// Every figure of the comparison is one of docs/performance.md.

const portkey = /^requests per second against Portkey gateway 1\.15\.2/
const proxy = /^CPU per request, whole pipeline/
const latency = /^latency added at the median/

/** The figures of a row: what was measured, and the ratio. */
function measured(node: string, row: RegExp): [seen: string, ratio: string] {
  const heading = `### Node ${node}`
  const [, seen = '', ratio = ''] = tableUnder('docs/performance.md', heading).find(([name = '']) =>
    row.test(name),
  )!
  return [seen, ratio]
}

const versions = /### Node ([\d.]+)\n\n(\d{4}-\d\d-\d\d),/g
const runs = [...readPage('docs/performance.md').matchAll(versions)].map(([, node, date]) => ({
  node: node!,
  date: date!,
}))

it('has the figures, versions and date of the performance page', () => {
  const text = readPage('docs/comparison.md')
  const rows = tableUnder('docs/comparison.md', '## Performance')
  expect(runs).toHaveLength(2)
  for (const [at, { node, date }] of runs.entries()) {
    expect(text).toContain(`Measured on ${date},`)
    expect(text).toContain(`| Node ${node} `)
    const [rates, rate] = measured(node, portkey)
    const [cpu, cost] = measured(node, proxy)
    expect(rows.map(row => row[at + 1])).toEqual([
      `${rates.replaceAll('/s', '')}: ${rate}`,
      `${cpu}: ${cost}`,
      measured(node, latency)[0],
    ])
  }
})

it('has the same ratios in the README, rounded, and the latency in the FAQ', () => {
  const readme = readPage('README.md').replaceAll('\n', ' ')
  const rounded = (value: string) => Number.parseFloat(value).toFixed(1)
  const of = (row: RegExp) => runs.map(({ node }) => rounded(measured(node, row)[1]))
  const [newer, older] = of(portkey)
  expect(readme).toContain(`on ${runs[0]!.date}: Sluice answers ${newer} times as many requests per second`)
  expect(readme).toContain(`on Node 24, and ${older} times as many on Node 20.`)
  const [less, more] = of(proxy).sort()
  expect(readme).toContain(`It uses ${less} to ${more} times the CPU of a bare proxy`)
  const { node } = runs[0]!
  expect(readPage('docs/faq.md')).toContain(`${measured(node, latency)[0]} at the median on Node ${node},`)
})

it('plans capacity with figures of the first run', () => {
  const { node, date } = runs[0]!
  const text = readPage('docs/capacity.md')
  expect(text).toContain(`Measured on Node ${node},`)
  expect(text.replaceAll('\n', ' ')).toContain(`on ${date}.`)
  const seen = tableUnder('docs/performance.md', `### Node ${node}`).map(([, value]) => value)
  const figures = tableUnder('docs/capacity.md', '## What a request costs').flatMap(([, value = '']) =>
    value.split(', '),
  )
  expect(figures.length).toBeGreaterThan(5)
  for (const figure of figures)
    expect(
      seen.filter(value => value === figure || value?.startsWith(`${figure} to `)),
      figure,
    ).toHaveLength(1)
})
