import type { ChatRequest } from '@sluice/core'
import type { Adjusting } from '../parameters/adjusting.ts'
import type { BedrockModel } from './models.ts'

/** Texts that end an answer: Bedrock takes no empty one, Claude none of white space alone. Throws `GatewayError` (400). */
export function stopSequences(
  stop: ChatRequest['stop'],
  model: BedrockModel,
  adjusting: Adjusting,
): readonly string[] {
  const all = typeof stop === 'string' ? [stop] : (stop ?? [])
  const isBlank = (entry: string) => (model.claude === undefined ? entry : entry.trim()) === ''
  const blank = all.find(isBlank)
  if (blank === undefined) return all
  const what = model.claude === undefined ? 'empty' : 'of white space alone'
  adjusting.lackValue('stop', blank, `Expected texts that are not ${what}.`)
  return all.filter(entry => !isBlank(entry))
}
