import type { Conversation } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { Content } from './contents.ts'
import type { GeminiModel } from './models.ts'

/**
 * Contents with what system and developer messages said: as `systemInstruction`, or for a model that has none
 * at the beginning of the first turn of the user.
 */
export function withSystem(
  { given, system, moved }: Conversation,
  contents: readonly Content[],
  model: GeminiModel,
  adjuster: ParameterAdjuster,
): { readonly contents: readonly Content[]; readonly systemInstruction?: Pick<Content, 'parts'> } {
  if (system.length === 0) return { contents }
  const parts = system.map(({ text }) => ({ text }))
  if (model.systemInstruction) {
    for (const path of moved) adjuster.map({ path }, 'moved to the system instruction')
    return { systemInstruction: { parts }, contents }
  }
  for (const { role, path } of given) {
    if (role === 'system' || role === 'developer') {
      adjuster.map({ path }, 'said by the user, at the beginning')
    }
  }
  const [first, ...rest] = contents
  if (first?.role !== 'user') return { contents: [{ role: 'user', parts }, ...contents] }
  return { contents: [{ role: 'user', parts: [...parts, ...first.parts] }, ...rest] }
}
