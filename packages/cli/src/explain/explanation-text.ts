import type { AuthFailure, Explanation, SkipReason, TracedTarget } from '@sluice/core'

/** Where a request would go, as a table for people. */
export function explanationText(explanation: Explanation): string {
  const { principal, authFailure, model, candidates, more, seed, refusal } = explanation
  const head = [
    ['caller', principal ?? nobodyText(authFailure)],
    ['model', model ?? 'none'],
    ['seed', String(seed)],
    ...(refusal === undefined ? [] : [['refused', `${refusal.status} ${refusal.code}: ${refusal.message}`]]),
  ].map(([name = '', text = '']) => `${name.padEnd(8)} ${text}`)
  const rows = [
    ['', 'place', 'reached by', ''],
    ...candidates.map((candidate, at) => rowOf(candidate, at, candidates)),
  ]
  const rest = more === undefined ? [] : [`and ${more} more`]
  return [...head, ...(candidates.length === 0 ? [] : ['', ...table(rows)]), ...rest].join('\n')
}

const authFailures: Readonly<Record<AuthFailure['reason'], string>> = {
  missing: 'there is no key',
  unknown: 'the key is unknown',
  wrong_issuer: 'the token is of another issuer',
  wrong_algorithm: 'the token is signed by an algorithm that is not allowed',
  unknown_signing_key: 'the issuer does not publish the key that signed the token',
  wrong_signature: 'the signature of the token is wrong',
  wrong_claims: 'the claims of the token are not accepted',
  wrong_audience: 'the token is for another audience',
  not_yet_valid: 'the token is not valid yet',
  expired: 'it has expired',
  disabled: 'it is disabled',
}

function nobodyText(failure: AuthFailure | undefined): string {
  if (failure === undefined) return 'nobody'
  const { reason, id } = failure
  return `nobody: ${id === undefined ? '' : `${id}, but `}${authFailures[reason]}`
}

function rowOf(candidate: TracedTarget, at: number, all: readonly TracedTarget[]): readonly string[] {
  const { provider, model, via, skipped } = candidate
  const turn = all.slice(0, at + 1).filter(each => each.skipped === undefined).length
  const what =
    skipped === undefined ? (turn === 1 ? 'asked first' : 'asked where those before fail') : whyOf(skipped)
  return [skipped === undefined ? `${turn}.` : '-', `${provider}/${model}`, via ?? '', what]
}

const reasons: Readonly<Record<SkipReason['why'], string>> = {
  open: 'left alone: it failed too often',
  cooldown: 'left alone: it asked for a pause',
  not_allowed: 'the caller may not use the name',
  too_small: 'the request is longer than its context',
  unfit: 'its model lacks what is asked for',
  restricted_field: 'the caller may not send this field to it',
  retry_budget: 'too many of its calls are repeats',
  not_chosen: 'the route chose others',
}

function whyOf({ why, waitMs, detail }: SkipReason): string {
  const wait = waitMs === undefined ? '' : `, for ${Math.ceil(waitMs / 1000)} s yet`
  return `not asked: ${reasons[why]}${detail === undefined ? '' : ` (${detail})`}${wait}`
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]!.length)))
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
