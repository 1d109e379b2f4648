import {
  apiKeys,
  budget,
  concurrent,
  createGateway,
  type Gateway,
  type LimitRuleData,
  type LimitStore,
  limits,
  models,
  priceTable,
  requests,
  tokens,
} from '@sluice/core'
import { memoryLimitStore } from '@sluice/core/limits'
import type { Provider } from '@sluice/core/provider'

// Gateways with and without rules, and one request to them.

const million = 1_000_000
const one = [requests(million).per('second')]
const three = [...one, tokens(100 * million).per('second'), concurrent(1_000)]
export const many = [
  ...three,
  requests(million).per('second').by('tag:team'),
  tokens(100 * million)
    .per('second')
    .by('gateway'),
  budget(million, 'usd').per('day').by('tag:team'),
]

/** Answers in process: what is measured is the gateway. */
const provider: Provider = {
  name: 'instant',
  encode: () => ({ method: 'POST', url: 'instant:', headers: {} }),
  transport: async () => ({ status: 200, headers: { get: () => null }, body: (async function* () {})() }),
  decode: () => ({
    kind: 'completion',
    completion: {
      choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 1 },
    },
  }),
}

export function gatewayWith(rules: readonly LimitRuleData[], store?: LimitStore): Gateway {
  return createGateway({
    authenticate: apiKeys([{ id: 'ann', key: 'sk-ann', tags: { team: 'search' } }]),
    route: models({ m: { provider, model: 'its-model' } }),
    prices: priceTable({ m: { input: 0.15, output: 0.6 } }),
    ...(rules.length === 0 ? {} : { limits: limits(rules, store === undefined ? {} : { store }) }),
  })
}

const url = 'http://sluice.test/v1/chat/completions'
const headers = new Headers({ authorization: 'Bearer sk-ann', 'content-type': 'application/json' })
const bytes = new TextEncoder().encode(
  JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'What is 12 * 7?' }] }),
)

export async function ask({ fetch }: Gateway): Promise<void> {
  // What an adapter hands over: a request whose costly parts are not made, but for a signal of its own.
  const request = { method: 'POST', url, headers, signal: new AbortController().signal } as Request
  const response = await fetch(request, { body: { kind: 'bytes', bytes }, plainResponses: true })
  if (response.status !== 200) throw new Error(`status ${response.status}: ${await response.text()}`)
}

/** What is measured, by the name of its row. */
export const subjects: Readonly<Record<string, () => Gateway>> = {
  'no rule': () => gatewayWith([]),
  '1 rule': () => gatewayWith(one, memoryLimitStore()),
  '3 rules': () => gatewayWith(three, memoryLimitStore()),
  '6 rules': () => gatewayWith(many, memoryLimitStore()),
}
