import {
  apiKeys,
  concurrent,
  createGateway,
  limits,
  models,
  priceTable,
  requests,
  tokens,
} from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import { anthropic, openai } from '@sluice/providers'

/** A gateway with everything on: keys, schema, limits (in memory), a route, prices, a record of each request. */
export function fullGateway(upstream, store = memoryLimitStore(), responses = undefined, more = {}) {
  const vendor = openai({ apiKey: 'sk-upstream', baseURL: `${upstream}/v1` })
  const speaking = anthropic({ apiKey: 'sk-upstream', baseURL: `${upstream}/v1` })
  const told = { requests: 0, tokens: 0 }
  const rules = [requests(1_000_000).per('second'), tokens(1_000_000_000).per('second'), concurrent(10_000)]
  return createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'sk-ann', tags: { team: 'search' } }]),
    route: models({ 'gpt-4o': vendor('gpt-4o-2024-08-06'), claude: speaking('claude-opus-4-5') }),
    prices: priceTable({ 'gpt-4o': { input: 2.5, output: 10 }, claude: { input: 5, output: 25 } }),
    limits: limits(rules, { store }),
    responses,
    hooks: more.hooks,
    ledger: more.ledger,
    observe: event => {
      more.observe?.(event)
      if (event.type !== 'end') return
      told.requests++
      told.tokens += event.usage?.total_tokens ?? 0
    },
  })
}
