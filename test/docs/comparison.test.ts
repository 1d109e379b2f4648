import { expect, it } from 'vitest'
import { readPage, tableUnder } from './runner/markdown.ts'

// Every figure of the comparison, of capacity planning and of the README is one of docs/performance.md.

const page = readPage('docs/performance.md')
const [, node = '', date = ''] = /### Node ([\d.]+)\n\n(\d{4}-\d\d-\d\d),/.exec(page) ?? []
const rows = tableUnder('docs/performance.md', `### Node ${node}`)
const gateways = tableUnder('docs/performance.md', `#### Gateways as processes, one core each, Node ${node}`)

/** What was seen of a row, and its ratio. */
function measured(row: RegExp): readonly [seen: string, ratio: string] {
  const found = rows.filter(([what = '']) => row.test(what))
  expect(found, String(row)).toHaveLength(1)
  const [, seen = '', ratio = ''] = found[0]!
  return [seen, ratio]
}

const cpu = measured(/^CPU per request, whole pipeline/)
const latency = measured(/^latency added at the median/)
const timesBare = Number.parseFloat(cpu[1]).toFixed(1)
const text = (path: string) => readPage(path).replaceAll('\n', ' ')

it('compares gateways with the figures, versions and date of the performance page', () => {
  expect(gateways.map(([name]) => name)).toEqual([
    'Sluice, `sluice serve`',
    'Portkey gateway 1.15.2',
    'LiteLLM proxy 1.99.4',
  ])
  const columns = [3, 2, 4, 6, 8]
  expect(tableUnder('docs/comparison.md', '## Performance').map(([, ...figures]) => figures)).toEqual(
    columns.map(column => gateways.map(gateway => gateway[column])),
  )
  expect(text('docs/comparison.md')).toContain(`Measured on ${date} on Node ${node},`)
  expect(text('docs/comparison.md')).toContain(
    `a request takes ${cpu[0]} of CPU, ${timesBare} times that of a bare proxy`,
  )
})

it('has the same ratios in the README, rounded, and the latency in the FAQ', () => {
  const [ours, portkey, litellm] = gateways.map(gateway => Number(gateway[3]))
  const readme = text('README.md')
  expect(readme).toContain(
    `on ${date} on Node ${node}: \`sluice serve\` answers ${(ours! / litellm!).toFixed(0)} times`,
  )
  expect(readme).toContain(`and ${(ours! / portkey!).toFixed(1)} times as many as Portkey's gateway 1.15.2`)
  expect(readme).toContain(`a request takes ${timesBare} times the CPU of a bare proxy`)
  expect(text('docs/faq.md')).toContain(`${latency[0]} at the median on Node ${node},`)
})

it('plans capacity with the figures of the performance page', () => {
  expect(text('docs/capacity.md')).toContain(`Measured on Node ${node},`)
  expect(text('docs/capacity.md')).toContain(`on ${date}:`)
  const capacity = tableUnder('docs/capacity.md', '## What a million requests cost')
  const one = (row: RegExp) => capacity.find(([what = '']) => row.test(what))?.[1]
  expect(one(/small request/)).toBe(cpu[0])
  expect(one(/1 MB/)).toBe(measured(/^1 MB request body/)[0].split(' to ')[0])
  expect(one(/Redis/)).toBe(
    `${measured(/round trips per request/)[0]}, half of them before the vendor is called`,
  )
  const event = measured(/^CPU per streamed event, normalised/)[0].split(' to ')[0]!
  expect(capacity.some(([what]) => what === `CPU of a stream of 200 events, ${event} each`)).toBe(true)
  const perGiB = gateways[0]![7]!
  const each = `${Math.round(1_048_576 / Number(perGiB.replace(',', '')))} KiB`
  const prose = text('docs/capacity.md').replaceAll('\n', ' ')
  expect(prose).toContain(
    `grows by ${each} with each open stream, so that a GiB beyond its start holds ${perGiB}:`,
  )
  expect(prose).toContain(
    `an idle stream](performance.md#memory-of-open-streams) takes ${measured(/idle streams/)[0]}.`,
  )
  expect(tableUnder('docs/capacity.md', '## Memory').find(([part]) => part === 'streams')?.[1]).toContain(
    each,
  )
  for (const name of ['ledger', 'log']) {
    const row = one(name === 'ledger' ? /\[ledger\]/ : /\[request log\]/)
    expect(row).toContain(measured(new RegExp(`^- ${name}: transactions`))[0].split(' ')[0]!)
    expect(row).toContain(measured(new RegExp(`^- ${name}: disk`))[0])
  }
})
