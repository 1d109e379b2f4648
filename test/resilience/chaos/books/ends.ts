import type { ClientEnd } from '../traffic/client-end.ts'
import type { Account } from './account.ts'

/** What a client saw of its request's end. */
export type Sight =
  | Exclude<ClientEnd['how'], 'failed' | 'refused'>
  | 'told of the upstream'
  | 'told of the shutdown'
  | 'no room'
  | 'no record'

/** What the ledger may say then; `none` where it has no row. */
const outcomes: Readonly<Record<Sight, readonly string[]>> = {
  done: ['completed'],
  'told of the upstream': ['upstream_failed'],
  'told of the shutdown': ['gateway_closed', 'none'],
  'no room': ['none'],
  'no record': ['refused', 'none'],
  // What the gateway was doing when it heard of that is a matter of chance.
  left: ['client_disconnected', 'completed', 'upstream_failed', 'gateway_closed', 'none'],
  unanswered: ['none'],
  cut: [],
  unsound: [],
}

/** What it may say beside that where the process was killed meanwhile, or a moment later. */
const killed: Readonly<Record<Sight, readonly string[]>> = {
  done: ['lost'],
  'told of the upstream': ['lost'],
  'told of the shutdown': [],
  'no room': [],
  'no record': ['lost'],
  left: ['lost'],
  unanswered: ['lost', 'completed', 'upstream_failed'],
  cut: ['lost', 'completed', 'upstream_failed'],
  unsound: [],
}

export function sightOf({ client: { end } }: Account): Sight {
  if (end.how !== 'failed' && end.how !== 'refused') return end.how
  // Its code is that of an upstream without room.
  if (/restarting/.test(end.message)) return 'told of the shutdown'
  if (end.code === 'rate_limit_exceeded' || end.code === 'limiter_unavailable') return 'no room'
  return end.code === 'ledger_unavailable' ? 'no record' : 'told of the upstream'
}

export function outcomeOf({ row }: Account): string {
  return row === undefined ? 'none' : (row.outcome ?? 'open')
}

/** What is wrong with what the client and the ledger say of the end. */
export function endFault(account: Account): string | undefined {
  const sight = sightOf(account)
  const outcome = outcomeOf(account)
  if (outcomes[sight].includes(outcome)) return undefined
  if (account.doubtful && killed[sight].includes(outcome)) return undefined
  const { end } = account.client
  const said = 'code' in end ? ` (${end.code})` : 'what' in end ? ` (${end.what})` : ''
  return `the client saw '${sight}'${said}, the ledger says ${outcome}`
}
