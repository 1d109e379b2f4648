import { type AnsweredExchange, type Exchange, type ExchangeBody, readExchanges } from '../exchanges.ts'

/** What names state at a vendor, or runs there: the gateway has state of its own. */
const state = ['background', 'previous_response_id', 'conversation']

/** Every recorded exchange of the Responses API, but for state at the vendor. */
export const exchanges: readonly Exchange[] = readExchanges('responses', (_, answer) =>
  answer !== undefined && Buffer.from(answer.bytes).includes('"response.compaction"')
    ? '/responses/compact'
    : '/responses',
)
  .filter(({ path }) => path === '/responses')
  .map(exchange => {
    if (!state.some(name => name in exchange.body)) return exchange
    const body = Object.fromEntries(
      Object.entries(exchange.body).filter(([name]) => !state.includes(name)),
    ) as ExchangeBody
    return { ...exchange, body, text: JSON.stringify(body) }
  })

/** Those whose answer a vendor gave to a request that did not run in the background. */
export const answered: readonly AnsweredExchange[] = exchanges.flatMap(exchange =>
  exchange.answer === undefined || /"status": ?"queued"/.test(Buffer.from(exchange.answer.bytes).toString())
    ? []
    : [{ ...exchange, answer: exchange.answer }],
)

interface Item {
  readonly type?: string
  readonly result?: unknown
  readonly content?: unknown
  readonly output?: unknown
}

/** Whether a request names files or images in the account of its vendor, which is refused for every vendor. */
export function namesAccount({ body }: Exchange): boolean {
  const items = Array.isArray(body.input) ? (body.input as readonly Item[]) : []
  return items.some(
    ({ type, result, content, output }) =>
      (type === 'image_generation_call' && typeof result !== 'string') ||
      [content, output].flat().some(part => typeof part === 'object' && part !== null && 'file_id' in part),
  )
}
