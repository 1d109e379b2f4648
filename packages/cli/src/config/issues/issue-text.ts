import type { OptionPath } from '@sluice/core'
import { optionPathText, quoted } from '@sluice/core/adapter'

export { quoted } from '@sluice/core/adapter'

export type Path = OptionPath

/** A path as people write it: `models.smart[1]`, `models['gpt-4.1']`. */
export function pathText(path: Path): string {
  return path.length === 0 ? 'the configuration' : optionPathText(path)
}

const maxTextLength = 60

/** Returns a short description of a value of an option that holds no secret. A value that looks like one is not shown. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return describeText(value)
  return kindOf(value)
}

/** Returns the type of a value. Only numbers and booleans are shown themselves. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === '') return 'an empty string'
  if (typeof value === 'string') return 'a string'
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

/** URLs with credentials, and the prefixes that vendors give to keys. */
const secretive = /:\/\/[^/\s]*@|^(?:sk|gsk|xai|rk|pk|csk|key|bearer|sluice)[-_ ]/i

function describeText(text: string): string {
  if (text === '' || secretive.test(text)) return kindOf(text)
  return text.length > maxTextLength ? `a string of ${text.length} characters` : quoted(text)
}
