import type { PeerServed } from '../measures/peers.ts'
import type { Served } from '../measures/requests.ts'
import type { Row } from '../row.ts'
import { peerTable, peerTitles, servedTable, servedTitles, spreadText } from './tables.ts'

export function printServed(served: readonly Served[]): void {
  printTable([servedTitles, ...servedTable(served)])
}

export function printPeers(peers: readonly PeerServed[]): void {
  printTable([peerTitles, ...peerTable(peers)])
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map(row => row[at]!.length)))
  for (const row of rows) {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[at]!)))
    console.log(`  ${cells.join('   ')}`)
  }
}

export function printRows(rows: readonly Row[]): void {
  const width = Math.max(...rows.map(({ what }) => what.length))
  for (const { what, figure, ratio = '', spread, goal = '', met } of rows) {
    const verdict = met === undefined ? '' : met ? 'met' : 'NOT MET'
    const cells = [
      what.padEnd(width),
      figure.padEnd(32),
      ratio.padEnd(23),
      spreadText(spread),
      goal.padEnd(30),
      verdict,
    ]
    console.log(`  ${cells.join('  ')}`.trimEnd())
  }
}
