import { figure } from '../figures.ts'
import { type Served, servers } from '../measures/requests.ts'
import type { Result } from '../result.ts'

const width = 760
const labels = 190
const lineHeight = 22

/** CPU per request and requests per second of each server, as bars; readable on light and dark. */
export function chartOf(results: readonly Result[]): string {
  let top = 0
  const panels = results.toReversed().flatMap(({ node, served }) => {
    // Beside a gateway that takes a hundred times as much, no other bar could be seen: its row says it in figures.
    const near = served.filter(({ name }) => name !== 'portkey')
    return [
      panel(`CPU of a request, microseconds, Node ${node}: less is better`, near, one => one.cpuMicros),
      panel(`Requests a second, 32 connections, Node ${node}: more is better`, served, one => one.perSecond),
    ]
  })
  const drawn = panels.map(({ height, draw }) => {
    const at = top
    top += height
    return draw(at)
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${top}" role="img" aria-label="What small requests cost, server by server">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 }
.title { font-weight: 600 }
.bare { fill: #8c959f }
.sluice { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .bare { fill: #768390 } .sluice { fill: #4493f8 } }
</style>
${drawn.join('\n')}
</svg>
`
}

function panel(title: string, served: readonly Served[], read: (one: Served) => number) {
  const most = Math.max(...served.map(read))
  const room = width - labels - 80
  const bar = (one: Served, y: number) => {
    const long = Math.max((read(one) / most) * room, 1).toFixed(1)
    const kind = one.name.startsWith('sluice') ? 'sluice' : 'bare'
    return [
      `<text x="${labels - 8}" y="${y + 15}" text-anchor="end">${servers[one.name] ?? one.name}</text>`,
      `<rect class="${kind}" x="${labels}" y="${y + 3}" width="${long}" height="16" rx="2"/>`,
      `<text x="${labels + Number(long) + 6}" y="${y + 15}">${figure(read(one), '').trim()}</text>`,
    ].join('')
  }
  return {
    height: (served.length + 2) * lineHeight,
    draw: (y: number) =>
      [
        `<text class="title" x="8" y="${y + 20}">${title}</text>`,
        ...served.map((one, at) => bar(one, y + 10 + (at + 1) * lineHeight)),
      ].join('\n'),
  }
}
