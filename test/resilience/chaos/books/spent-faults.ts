import { floorOf, nanoDollarsOf } from '../gateway/terms.ts'
import { countsOf, guessedPrompt } from '../traffic/errand.ts'
import type { Account } from './account.ts'

/** What is wrong with what the limits have charged for a request, by its row. */
export function spentFault(account: Account): string | undefined {
  const { client, row, spent, doubtful } = account
  const { bodyBytes, errand } = client
  if (errand.model === 'free') {
    return spent === 0 ? undefined : `nothing bounds it, and ${spent} was charged`
  }
  const cost = row?.nanoDollars ?? 0
  const floor = floorOf(bodyBytes)
  if (row?.outcome === 'lost') {
    return spent === floor || couldBe(account)
      ? undefined
      : `its row is lost, the floor is ${floor}, charged was ${spent}`
  }
  if (spent === cost || (doubtful && spent === floor)) return undefined
  return `its row costs ${cost}, charged was ${spent} (the floor is ${floor})`
}

/** Whether it was settled before the process was killed, and its row was not closed. */
function couldBe({ client: { errand }, upstream, spent }: Account): boolean {
  const { promptTokens, completionTokens } = countsOf(errand)
  const sent = upstream?.sent ?? 0
  if (spent === nanoDollarsOf(promptTokens, completionTokens)) return upstream?.finished === true
  if (spent === 0) return errand.does !== 'answer'
  const guess = Array.from({ length: sent + 1 }, (_, tokens) => nanoDollarsOf(guessedPrompt, tokens))
  return guess.includes(spent)
}

/** Whether the limits have charged the floor for it, and not what its row says. */
export function isFloor({ client, row, spent }: Account): boolean {
  return client.errand.model === 'paid' && spent === floorOf(client.bodyBytes) && spent !== row?.nanoDollars
}
