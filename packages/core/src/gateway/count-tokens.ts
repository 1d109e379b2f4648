import type { CountDialect } from '../contracts/dialect.ts'
import type { GatewayResponse } from '../contracts/host.ts'
import type { Adjustment } from '../contracts/provider.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { respondText } from '../http/respond.ts'
import type { ServiceLoad } from '../http/running-requests.ts'
import { memberOf } from '../primitives/own-members.ts'
import { principalKey } from '../primitives/principal-key.ts'
import { limit } from '../rate-limiting/limit.ts'
import { callCount } from '../upstream/count-call.ts'
import { estimatePromptTokens } from '../usage/prompt-estimate.ts'
import { speaks } from '../validation/speaks.ts'
import type { Decision } from './decide.ts'
import { LimitRequest } from './limit-request.ts'
import type { RequestAccounting } from './request-accounting.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'
import { validateRequest } from './validate-request.ts'

/** Reported where the vendor did not count the prompt. */
const estimated: Adjustment = { parameter: 'input_tokens', action: 'mapped', detail: 'estimated' }

/**
 * Answers a request for the number of tokens of a prompt, from its validation on. The vendor of the first target counts them;
 * where it cannot, or fails, they are estimated. It costs nothing, and counts only against rules that name `countTokens`.
 */
export async function countTokens<Host>(
  dialect: CountDialect,
  { draft, principal, targets: permitted }: Decision,
  options: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
  load: ServiceLoad,
): Promise<GatewayResponse> {
  const { routing, requestId } = context
  const end = load.counts.start(principalKey(principal), options.random)
  try {
    const limited = new LimitRequest(context, draft, permitted, options)
    accounting.admitted(await limit(principal, draft, limited, options.limiter))
    const { request, targets } = validateRequest(dialect, draft, principal, permitted, options.rules, routing)
    if (targets !== permitted) routing.setOrder(targets)
    const target = targets[0]!
    const opening = accounting.opened({ request, adjustments: [] }, target)
    if (opening !== undefined) await opening
    let tokens = await countedTokens(request, target, options, context, accounting)
    if (tokens === undefined) {
      tokens = estimatePromptTokens(draft)
      accounting.adjusted([estimated])
    }
    const text: unknown = dialect.write(tokens)
    if (typeof text !== 'string') {
      throw new TypeError(`The dialect '${dialect.name}' wrote ${typeof text}, expected a string.`)
    }
    accounting.firstByte()
    const response = respondText(200, text, requestId, accounting.responseHeaders)
    accounting.bodySent(text)
    accounting.settled('completed', 200)
    return response
  } finally {
    end()
  }
}

/** Returns the vendor's count, or `undefined` if it has none. Throws only if the request has ended. */
async function countedTokens<Host>(
  request: GenerateRequest,
  target: RoutedTarget,
  { call }: ResolvedOptions<Host>,
  context: RequestContext,
  accounting: RequestAccounting,
): Promise<number | undefined> {
  const codec = memberOf(target.provider, 'count')
  const isNative = codec?.encodeNative !== undefined && speaks(target, request.dialect)
  if (codec?.encode === undefined && !isNative) return undefined
  try {
    return await callCount(request, target, context, accounting, call)
  } catch (error) {
    if (context.lifetime.ended !== undefined) throw error
    return undefined
  }
}
