import type { ChatRequest } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { ClaudeModel } from './models.ts'

/** What of the sampling parameters a request carries. */
export interface ClaudeSampling {
  readonly temperature?: number
  readonly top_p?: number
  /** The vendor's own: unchecked. */
  readonly top_k?: unknown
}

/**
 * `temperature`, `top_p` and the vendor's own `top_k`, where the model takes them: some take none, none does
 * while it thinks, some take only one of the first two. A `temperature` above 1 is refused.
 *
 * Throws `GatewayError` (400).
 */
export function claudeSampling(
  { temperature, top_p, top_k }: ChatRequest,
  model: ClaudeModel,
  thinking: boolean,
  adjuster: ParameterAdjuster,
): ClaudeSampling {
  if (!model.sampling || thinking) {
    const why = model.sampling ? 'not together with thinking' : 'this model takes none'
    // 1 is what both are when they are not sent.
    if (temperature !== undefined && temperature !== 1) adjuster.drop('temperature', why)
    if (top_p !== undefined && top_p !== 1) adjuster.drop('top_p', why)
    if (top_k !== undefined && top_k !== null) adjuster.drop('top_k', why)
    return {}
  }
  const sent: { temperature?: number; top_p?: number; top_k?: unknown } = {}
  if (temperature !== undefined) {
    if (temperature > 1)
      adjuster.unsupportedValue('temperature', temperature, 'Expected a value from 0 to 1.')
    else sent.temperature = temperature
  }
  if (top_p !== undefined) {
    if (sent.temperature === undefined || model.temperatureWithTopP) sent.top_p = top_p
    else if (top_p !== 1) adjuster.unsupported('top_p', "Leave out one of 'temperature' and 'top_p'.")
  }
  if (top_k !== undefined && top_k !== null) sent.top_k = top_k
  return sent
}

/**
 * Returns the texts that end a response. Claude takes none of white space alone; the other models on Bedrock take
 * no empty one.
 *
 * Throws `GatewayError` (400).
 */
export function stopSequences(
  stop: ChatRequest['stop'],
  isClaude: boolean,
  adjuster: ParameterAdjuster,
): readonly string[] {
  const all = typeof stop === 'string' ? [stop] : (stop ?? [])
  const isBlank = (entry: string) => (isClaude ? entry.trim() : entry) === ''
  const blank = all.find(isBlank)
  if (blank === undefined) return all
  const what = isClaude ? 'of white space alone' : 'empty'
  adjuster.unsupportedValue('stop', blank, `Expected texts that are not ${what}.`)
  return all.filter(entry => !isBlank(entry))
}
