import type { Figure } from '../../soak/figures.ts'
import { type Account, accountsOf } from './account.ts'
import type { ChaosLogs } from './chaos-logs.ts'
import { endFault } from './ends.ts'
import { processFigures } from './process-figures.ts'
import { rowFaults } from './row-faults.ts'
import { isFloor, spentFault } from './spent-faults.ts'

/** What a run came to. */
export interface Reconciliation {
  readonly figures: readonly Figure[]
  /** Everything that is in one log and not so in another, by name. Empty where nothing was lost. */
  readonly differences: readonly string[]
  readonly accounts: readonly Account[]
}

/** Holds the logs against each other. */
export function reconcile(logs: ChaosLogs): Reconciliation {
  const { accounts, strays } = accountsOf(logs)
  const ends = accounts.flatMap(account => named(account, endFault(account)))
  const rows = accounts.flatMap(account => rowFaults(account).flatMap(fault => named(account, fault)))
  const spent = accounts.flatMap(account => named(account, spentFault(account)))
  const sums = sumFaults(logs)
  const held = heldFaults(logs)
  const figures = [
    ...trafficFigures(logs, accounts),
    none('marks and rows that belong to nobody, or twice to one', strays),
    none(`rows that are not what the upstream counted, of ${logs.rows.length}`, rows),
    none(`ends that client and ledger tell otherwise, of ${accounts.length}`, ends),
    ...lostFigures(logs, accounts),
    none(`charges of the limits that are not those of the ledger, of ${paid(accounts).length}`, spent),
    exact(
      'sum of the budget, in dollars',
      dollars(logs.limits.total),
      dollars(sum([...logs.limits.spent.values()])),
    ),
    none('sums that the ledger tells otherwise than its rows', sums),
    none('leases, reservations and keys that the limits have left', held),
    exact('records that wait in journals', `${logs.waiting.length}`, '0'),
    ...processFigures(logs),
  ]
  const missed = figures
    .filter(({ met }) => met === false)
    .map(({ what, got, goal }) => `${what}: ${got}, expected ${goal}`)
  const alarms = logs.generations.flatMap(({ alarms: told }, index) =>
    told.map(alarm => `process ${index}: ${alarm}`),
  )
  const differences = [
    ...strays,
    ...rows,
    ...ends,
    ...spent,
    ...sums,
    ...held,
    ...alarms,
    ...logs.upstream.faults,
  ]
  return { figures, differences: [...missed, ...differences], accounts }
}

function named({ mark, client }: Account, fault: string | undefined): string[] {
  if (fault === undefined) return []
  const { model, stream, does, tokens } = client.errand
  const what = `${model}, ${stream ? 'stream' : 'whole'}, ${does} ${tokens}`
  return [`${mark} (${what}; process ${client.generation}): ${fault}`]
}

function trafficFigures({ rows, upstream, generations }: ChaosLogs, accounts: readonly Account[]): Figure[] {
  const sent = sum([...upstream.logs.values()].map(log => log.sent))
  const asked = sum([...upstream.logs.values()].map(log => log.asked))
  const live = generations.slice(0, -1).map(generation => generation.live)
  return [
    plain(
      'requests; calls that the upstream saw; tokens that it sent',
      `${accounts.length}; ${asked}; ${sent}`,
    ),
    plain(
      'rows in the ledger; what they cost, in dollars',
      `${rows.length}; ${dollars(sum(rows.map(cost)))}`,
    ),
    plain('live answers at the signals: least, most', `${Math.min(...live)}, ${Math.max(...live)}`),
    plain('most calls at once at the upstream', `${upstream.mostLive}`),
  ]
}

function lostFigures({ plan, limits }: ChaosLogs, accounts: readonly Account[]): Figure[] {
  const lost = accounts.filter(({ row }) => row?.outcome === 'lost')
  const inFlight = accounts.filter(({ killed }) => killed)
  const before = lost.filter(({ killed }) => !killed)
  const whole = before.filter(({ client }) => client.end.how === 'done')
  const earliest = Math.max(0, ...before.map(({ beforeEndMs }) => beforeEndMs))
  const floors = accounts.filter(isFloor)
  return [
    plain(
      'rows that are lost, of requests in flight at a kill',
      `${lost.length - before.length} of ${inFlight.length}`,
    ),
    none(
      'rows that are lost though no kill was near',
      lost.filter(({ doubtful }) => !doubtful),
    ),
    atMost(
      `rows that are lost of requests that had ended (${whole.length} whole)`,
      before.length,
      inFlight.length,
    ),
    atMost('how long before the kill the first of them had, in ms', Math.ceil(earliest), plan.graceMs),
    atMost(
      'claims that were never settled, of requests that ended near a kill',
      limits.unsettled,
      accounts.filter(({ doubtful }) => doubtful).length,
    ),
    plain('charged their floor by the limits: killed before they were settled', `${floors.length}`),
  ]
}

function sumFaults({ rows, usage }: ChaosLogs): string[] {
  const faults =
    rows.length === usage.length ? [] : [`${rows.length} rows, and sums of ${usage.length} callers`]
  const told = new Map(usage.map(row => [row.by.key, row]))
  for (const row of rows) {
    const found = told.get(row.mark)
    const same =
      found?.requests === 1 &&
      found.promptTokens === row.promptTokens &&
      found.completionTokens === row.completionTokens &&
      Math.round(found.cost * 1e9) === cost(row) &&
      found.estimated === (row.estimated ? 1 : 0) &&
      found.open === 0
    if (!same) faults.push(`${row.mark}: the ledger sums ${JSON.stringify(found)}`)
  }
  return faults
}

function heldFaults({ limits }: ChaosLogs): string[] {
  const { leases, tokens, holds, endless } = limits
  const faults = [...holds.map(key => `${key} holds something`), ...endless.map(key => `${key} never ends`)]
  if (leases !== 0) faults.push(`${leases} leases are held`)
  if (tokens !== 0) faults.push(`${tokens} tokens are taken`)
  return faults
}

function paid(accounts: readonly Account[]): readonly Account[] {
  return accounts.filter(({ client }) => client.errand.model === 'paid')
}

function cost(row: { readonly nanoDollars: number | null }): number {
  return row.nanoDollars ?? 0
}

function dollars(nano: number): string {
  return (nano / 1e9).toFixed(9)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0)
}

function plain(what: string, got: string): Figure {
  return { promise: 'P6', what, got, goal: '-', met: undefined }
}

function exact(what: string, got: string, goal: string): Figure {
  return { promise: 'P6', what, got, goal, met: got === goal }
}

function none(what: string, faults: readonly unknown[]): Figure {
  return exact(what, `${faults.length}`, '0')
}

function atMost(what: string, got: number, most: number): Figure {
  return { promise: 'P6', what, got: `${got}`, goal: `<= ${most}`, met: got <= most }
}
