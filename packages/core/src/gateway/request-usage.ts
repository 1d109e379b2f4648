import { chargeOf } from '../accounting/charge.ts'
import type { RequestOutcome } from '../contracts/events.ts'
import type { Charge } from '../contracts/ledger.ts'
import type { Adjustment, PartialUsage, Target } from '../contracts/provider.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import { isTimeout } from '../errors/upstream-error.ts'
import type { AttemptEntry, AttemptLog } from '../observability/attempt-log.ts'
import type { Usage } from '../protocol/chat.ts'
import { type AbandonedCallOptions, abandonedTokens } from '../usage/abandoned-calls.ts'
import { type AnswerTerms, type Prices, pricedModel } from '../usage/prices.ts'
import {
  abandonedUsage,
  addPromptUsage,
  addUsage,
  type CountedUsage,
  estimatedUsage,
  type InputRequest,
} from '../usage/usage.ts'
import type { RequestContext } from './request-context.ts'

/** What the usage of requests is priced by. */
export interface PriceServices {
  readonly prices: Prices
  readonly abandonedCalls: AbandonedCallOptions
}

/** What a price depends on beside the usage. */
export interface PriceTerms {
  /** When the ledger entry was opened, in milliseconds since 1970: prices change. */
  readonly pricedAt: number
  readonly adjustments: readonly Adjustment[]
}

const none: readonly never[] = Object.freeze([])

/** The usage of a request and what it costs: of its response or the parts of it, and of one that was not sent. */
export class RequestUsage {
  /** That of the response so far. `undefined`: nothing was generated. */
  usage: Usage | undefined
  isEstimated = false
  readonly #context: RequestContext
  readonly #services: PriceServices
  readonly #attempts: AttemptLog
  readonly #terms: PriceTerms
  /** The cost of the parts so far, each at the price of its target. `undefined`: the response has no parts. */
  #partsCost: number | null | undefined
  /** The usage and cost of a response that was not sent, because a hook had the model called again. */
  #earlier: { readonly usage: Usage; readonly cost: number | null; readonly estimated: boolean } | undefined
  /** Billing details of the response other than tokens. */
  #answerTerms: AnswerTerms | undefined
  /** What the vendor counted of a stream without content. */
  #reported: PartialUsage | undefined
  #progress: (() => CountedUsage) | undefined

  constructor(context: RequestContext, services: PriceServices, attempts: AttemptLog, terms: PriceTerms) {
    this.#context = context
    this.#services = services
    this.#attempts = attempts
    this.#terms = terms
  }

  /** Sets the function that returns the usage of a stream so far. */
  streaming(progress: () => CountedUsage): void {
    this.#progress = progress
  }

  /** Sets the usage of the response, or of the part that arrived. */
  answered(counted: CountedUsage): void {
    this.usage = counted.usage
    this.isEstimated = counted.estimated
    this.#answerTerms = counted
  }

  /** Takes what the vendor counted of a stream that was cut off without content. */
  answeredWithoutContent(reported: PartialUsage | undefined): void {
    this.#reported = reported
  }

  /** The model is called once more. Returns the cost of the response so far, which is charged with that of the next call. */
  calledAgain({ target, responseModel }: AttemptEntry, counted: CountedUsage): number | null {
    const { usage, estimated } = counted
    const cost = this.costAt(usage, target, this.#terms.pricedAt, responseModel, counted)
    this.#earlier = { usage, cost, estimated }
    this.usage = undefined
    this.#answerTerms = undefined
    return cost
  }

  /** Adds the usage of a part of the response. Returns its cost. */
  addPart({ target, responseModel }: AttemptEntry, { usage, estimated }: CountedUsage): number | null {
    const cost = this.costAt(usage, target, this.#terms.pricedAt, responseModel, this.#answerTerms)
    this.#partsCost = this.#partsCost === undefined ? cost : totalCost(this.#partsCost, cost)
    this.usage = this.usage === undefined ? usage : addPromptUsage(this.usage, usage)
    this.isEstimated ||= estimated
    return cost
  }

  /** Takes the usage of a call that was cancelled before any content arrived. */
  chargeAbandoned(
    outcome: RequestOutcome,
    now: number,
    request: GenerateRequest | InputRequest | undefined,
    reservedPromptTokens: number | undefined,
  ): void {
    const cutOff = outcome === 'client_disconnected' || outcome === 'gateway_closed'
    const attempt = this.#attempts.counted
    if (attempt === undefined || !(cutOff || isTimeout(attempt.error))) return
    this.usage = this.abandonedUsage(attempt, now, request, reservedPromptTokens, this.#reported)
    this.isEstimated = this.usage !== undefined
  }

  /** Returns the charged usage of a cancelled call, or `undefined` if its upstream generated nothing. */
  abandonedUsage(
    attempt: AttemptEntry,
    now: number,
    request: GenerateRequest | InputRequest | undefined,
    reservedPromptTokens: number | undefined,
    reported?: PartialUsage,
  ): Usage | undefined {
    if (request === undefined || !attempt.mayHaveAnswered) return undefined
    if ('inputs' in request) return estimatedUsage({ inputs: attempt.inputs ?? none }, 0)
    const call = {
      settings: request.settings(),
      target: attempt.target,
      reservedPromptTokens,
      ranMs: attempt.ranMs(now),
    }
    return abandonedUsage(request, abandonedTokens(call, this.#services.abandonedCalls), reported)
  }

  /** Returns the charge so far: of the response, or of what has arrived of a stream. */
  chargeSoFar(): Charge | undefined {
    return this.chargeOf(this.usage ?? this.#progress?.().usage)
  }

  /** Returns the charge of a usage of the response: that of its parts, if it has some. Default terms: those of the response. */
  chargeOf(usage: Usage | undefined, terms: AnswerTerms | undefined = this.#answerTerms): Charge | undefined {
    return this.#withEarlier(usage, this.#chargeOfCall(usage, terms))
  }

  /** Returns the charge of the request, and the cost of the response alone. Adds the usage of a response that was not sent. */
  settle(): { readonly charge: Charge | undefined; readonly cost: number | null } {
    const ofCall = this.#chargeOfCall(this.usage, this.#answerTerms)
    const charge = this.#withEarlier(this.usage, ofCall)
    if (this.#earlier !== undefined) {
      this.usage = totalUsage(this.#earlier.usage, this.usage)
      this.isEstimated ||= this.#earlier.estimated
    }
    return { charge, cost: ofCall?.cost ?? null }
  }

  /** Returns the price of a call; `null` where it is not known. */
  costAt(
    usage: Usage,
    target: Target,
    at: number,
    responseModel: string | undefined,
    terms: AnswerTerms | undefined,
    adjustments: readonly Adjustment[] = this.#terms.adjustments,
  ): number | null {
    const { operation, model = '', draft } = this.#context
    const priced = pricedModel(
      operation,
      model,
      target,
      at,
      draft?.outline,
      terms,
      adjustments,
      responseModel,
    )
    return this.#services.prices(usage, priced)
  }

  /** Adds the charge of a response that was not sent. */
  #withEarlier(usage: Usage | undefined, charge: Charge | undefined): Charge | undefined {
    const earlier = this.#earlier
    if (earlier === undefined) return charge
    const cost = charge === undefined ? earlier.cost : totalCost(earlier.cost, charge.cost)
    return chargeOf(totalUsage(earlier.usage, usage), cost)
  }

  #chargeOfCall(usage: Usage | undefined, terms: AnswerTerms | undefined): Charge | undefined {
    if (usage !== undefined && this.#partsCost !== undefined) return chargeOf(usage, this.#partsCost)
    const target = this.#attempts.lastCalled
    if (usage === undefined || target === undefined) return undefined
    const { responseModel } = this.#attempts.counted!
    return chargeOf(usage, this.costAt(usage, target, this.#terms.pricedAt, responseModel, terms))
  }
}

/** Returns the sum of two prices; `null` if one is not known. */
function totalCost(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : one + other
}

function totalUsage(earlier: Usage, usage: Usage | undefined): Usage {
  return usage === undefined ? earlier : addUsage(earlier, usage)
}
