import { nanoDollarsOf } from '../gateway/terms.ts'
import { countsOf, guessedPrompt, reservedOf } from '../traffic/errand.ts'
import type { Account } from './account.ts'

/** How long what was sent may be on its way to a busy process, in milliseconds. */
const transitMs = 250

/** What is wrong with a request's row, by what the upstream and the client saw. */
export function rowFaults({ client, row, upstream }: Account): string[] {
  const { errand, tokens: received, end } = client
  const asked = upstream?.asked ?? 0
  if (row === undefined) return asked === 0 ? [] : ['the upstream was asked, and there is no row']
  const { promptTokens: prompt, completionTokens: completion, nanoDollars, estimated, outcome } = row
  const faults: string[] = []
  const expect = (holds: boolean, what: string) => {
    if (!holds) faults.push(what)
  }
  const charged = `${prompt}+${completion} tokens${estimated ? ', estimated' : ''} (${outcome})`
  const counted = countsOf(errand)
  const reserved = reservedOf(errand)
  const sent = upstream?.sent ?? 0
  const exact = prompt === counted.promptTokens && completion === counted.completionTokens

  expect(row.closed, 'the row is open')
  expect(row.model === errand.model && row.stream === errand.stream, 'the row tells of another request')
  expect(nanoDollars === nanoDollarsOf(prompt, completion), `${charged} cost ${nanoDollars}`)
  if (outcome === 'completed') {
    expect(upstream?.finished === true, 'the row is completed, and the upstream had not finished')
    expect(exact && !estimated, `the upstream counted ${shown(counted)}, the row says ${charged}`)
  } else if (outcome === 'lost') {
    expect(estimated, 'the row is lost, and not estimated')
    const guess = prompt === guessedPrompt && completion <= sent
    expect(
      guess || (exact && upstream?.finished === true),
      `the upstream sent ${sent}, the row says ${charged}`,
    )
  } else if (estimated) {
    const between = received <= completion && completion <= sent
    const underWay = upstream === undefined || upstream.sentFrom >= client.endedAt - transitMs
    // Cut off before anything came: the vendor may have made all of it, so that all that was reserved is charged.
    const abandoned =
      (outcome === 'client_disconnected' || outcome === 'gateway_closed') &&
      underWay &&
      received === 0 &&
      prompt === reserved.promptTokens &&
      completion === reserved.completionTokens
    expect(
      (prompt === guessedPrompt && between) || abandoned,
      `the client got ${received}, the upstream sent ${sent}, the row says ${charged}`,
    )
  } else {
    const nothing = prompt === 0 && completion === 0 && received === 0
    expect(nothing || (exact && upstream?.finished === true), `nothing was counted, the row says ${charged}`)
  }
  if (end.how === 'done') {
    const { promptTokens, completionTokens } = end
    const told = promptTokens === counted.promptTokens && completionTokens === counted.completionTokens
    expect(told, `the upstream counted ${shown(counted)}, the client was told ${shown(end)}`)
  }
  // Who leaves may do so before what was written has arrived.
  const left = outcome === 'client_disconnected' || outcome === 'gateway_closed'
  const attempts = row.attempts ?? asked
  expect(
    attempts === asked || (left && attempts > asked),
    `the row tells of ${attempts} calls, the upstream saw ${asked}`,
  )
  return faults
}

function shown(of: { readonly promptTokens: number; readonly completionTokens: number }): string {
  return `${of.promptTokens}+${of.completionTokens}`
}
