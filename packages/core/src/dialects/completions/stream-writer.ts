import type {
  AnswerDelta,
  AnswerIdentity,
  AnswerOrigin,
  AnswerStreamWriter,
} from '../../contracts/dialect.ts'
import type { NativeEvent } from '../../contracts/provider.ts'
import type { GatewayError } from '../../errors/errors.ts'
import type { CompletionUsage, JsonObject } from '../../protocol/chat.ts'
import { jsonItems } from '../../protocol/json-members.ts'
import { replaceMember } from '../../protocol/replace-member.ts'
import { withUsageCost } from '../../protocol/usage-cost.ts'
import { usageWithCost } from '../../usage/usage.ts'

/** Writes a stream of text completions. Vendors' own events are passed on. */
export class CompletionsStreamWriter implements AnswerStreamWriter {
  readonly #identity: AnswerIdentity
  readonly #includesUsage: boolean
  #passed = false

  constructor(identity: AnswerIdentity, includesUsage: boolean) {
    this.#identity = identity
    this.#includesUsage = includesUsage
  }

  open(): string {
    return ''
  }

  pass(events: readonly NativeEvent[]): string {
    this.#passed = true
    let text = ''
    for (const { data } of events) {
      if (!this.#includesUsage && isUsageAlone(data)) continue
      text += event(
        withUsageCost(replaceMember(data, ['model'], this.#identity.model), ['usage'], this.#identity),
      )
    }
    return text
  }

  push(deltas: readonly AnswerDelta[]): string {
    return deltas.map(delta => this.#choice(delta)).join('')
  }

  end(deltas: readonly AnswerDelta[], _: AnswerOrigin, usage: CompletionUsage): string {
    const counted =
      this.#includesUsage && !this.#passed
        ? this.#chunk([], usageWithCost(usage, this.#identity.cost?.()))
        : ''
    return `${this.push(deltas)}${counted}data: [DONE]\n\n`
  }

  fail(error: GatewayError): string {
    return errorEvent(error)
  }

  #choice({ index, delta, finish }: AnswerDelta): string {
    return this.#chunk([{ index, text: delta.content ?? '', logprobs: null, finish_reason: finish }])
  }

  #chunk(choices: readonly object[], usage?: CompletionUsage): string {
    const { id, created, model } = this.#identity
    const chunk = { id, object: 'text_completion', created, model, choices }
    return event(JSON.stringify(usage === undefined ? chunk : { ...chunk, usage }))
  }
}

/** Returns the event of an error within a stream. */
export function errorEvent(error: GatewayError): string {
  return event(JSON.stringify(error.toBody()))
}

function event(data: string): string {
  return `data: ${data}\n\n`
}

/** Whether an event has usage and no choice: the vendor was asked for it, and the caller did not. */
function isUsageAlone(data: string): boolean {
  if (!data.includes('"usage"')) return false
  const { choices, usage } = JSON.parse(data) as JsonObject
  return typeof usage === 'object' && usage !== null && jsonItems(choices).length === 0
}
