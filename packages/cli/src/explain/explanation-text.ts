import type { AuthFailure, Explanation, SkippedKey, SkipReason, TracedTarget } from '@sluice/core'

/**
 * Formats an explanation as a table.
 *
 * @param unpriced - the targets without a price, each as `provider/model`.
 */
export function explanationText(
  explanation: Explanation,
  prices: string,
  unpriced: readonly string[] = [],
): string {
  const { principal, authFailure, model, candidates, more, seed, hooks = [], refusal } = explanation
  const head = [
    ['caller', principal ?? nobodyText(authFailure)],
    ['model', model ?? 'none'],
    ['seed', String(seed)],
    ['prices', prices],
    ...hooks.map(({ name, outcome }) => ['hook', `${name} ${outcome}`]),
    ...(refusal === undefined ? [] : [['rejected', `${refusal.status} ${refusal.code}: ${refusal.message}`]]),
  ].map(([name = '', text = '']) => `${name.padEnd(8)} ${text}`)
  const rows = [
    ['', 'target', 'via', ''],
    ...candidates.map((candidate, at) => rowOf(candidate, at, candidates, unpriced)),
  ]
  const rest = more === undefined ? [] : [`and ${more} more`]
  return [...head, ...(candidates.length === 0 ? [] : ['', ...table(rows)]), ...rest].join('\n')
}

const authFailures: Readonly<Record<AuthFailure['reason'], string>> = {
  missing: 'no API key',
  unknown: 'unknown API key',
  wrong_issuer: 'the token has another issuer',
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

function rowOf(
  candidate: TracedTarget,
  at: number,
  all: readonly TracedTarget[],
  unpriced: readonly string[],
): readonly string[] {
  const { provider, model, via, skipped, skippedKeys = [] } = candidate
  const turn = all.slice(0, at + 1).filter(each => each.skipped === undefined).length
  const what = skipped === undefined ? (turn === 1 ? 'tried first' : 'fallback') : whyOf(skipped)
  const keys = skippedKeys.map(skippedKey => `; ${keyText(skippedKey)}`).join('')
  const target = `${provider}/${model}`
  const price = unpriced.includes(target) ? '; no price' : ''
  return [skipped === undefined ? `${turn}.` : '-', target, via ?? '', what + keys + price]
}

const reasons: Readonly<Record<SkipReason['why'], string>> = {
  open: 'its circuit breaker is open',
  cooldown: 'it is cooling down',
  target_limit: 'a limit of the target is exceeded',
  not_allowed: 'the caller may not use this model',
  too_small: 'the request is longer than its context window',
  unfit: 'its model does not support the request',
  restricted_field: 'the caller may not send this field to it',
  retry_budget: 'its retry budget is used up',
  not_chosen: 'the route chose other targets',
}

function whyOf(skipped: SkipReason): string {
  return `skipped: ${reasons[skipped.why]}${detailOf(skipped)}`
}

function keyText(skipped: SkippedKey): string {
  return `${skipped.key} in cooldown${detailOf(skipped)}`
}

function detailOf({ waitMs, detail }: SkipReason): string {
  const wait = waitMs === undefined ? '' : `, for another ${Math.ceil(waitMs / 1000)} s`
  return `${detail === undefined ? '' : ` (${detail})`}${wait}`
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
