import type { Result } from '../result.ts'
import type { Row } from '../row.ts'
import { peerTable, peerTitles, servedTable, servedTitles, spreadText } from './tables.ts'

const begin = '<!-- written by `pnpm bench --save` -->'
const end = '<!-- until here -->'

const chart = '![CPU of a request and requests a second, server by server](performance.svg)'

/** The page with the figures of all runs between its two marks. */
export function pageOf(page: string, results: readonly Result[]): string {
  const from = page.indexOf(begin)
  const until = page.indexOf(end)
  if (from === -1 || until < from) throw new Error(`docs/performance.md lacks the lines ${begin} and ${end}`)
  const figures = results.toReversed().map(figuresOf).join('\n')
  return `${page.slice(0, from + begin.length)}\n\n${chart}\n\n${figures}\n${page.slice(until)}`
}

function figuresOf({
  node,
  date,
  commit,
  machine,
  cores,
  upstream,
  runs,
  rounds,
  seconds,
  served,
  peers,
  rows,
}: Result): string {
  const reached = rows.map(({ what, figure, ratio = '', spread, goal = '', met }) => [
    what,
    figure,
    ratio,
    spreadText(spread),
    goal,
    verdict(met),
  ])
  return `### Node ${node}

${date}, commit \`${commit}\`, ${runs} runs of ${rounds} rounds of ${seconds} s. ${machine}.
Upstream: ${upstream}; ${cores}. Each row is that of the run in the middle.

${table(['', 'seen', 'ratio (quartiles)', `least and most of ${runs} runs`, 'goal', ''], reached)}

Small requests; in brackets what it is against the bare buffered proxy:

${table(servedTitles, servedTable(served))}
${peers.length === 0 ? '' : `\n#### Gateways as processes, one core each, Node ${node}\n\n${table(peerTitles, peerTable(peers))}\n`}`
}

function verdict(met: Row['met']): string {
  if (met === undefined) return ''
  return met ? 'met' : '**not met**'
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n')
}
