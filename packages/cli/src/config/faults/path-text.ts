import { type OptionPath, optionPathText } from '@sluice/core'

export { quoted } from '@sluice/core'

export type Path = OptionPath

/** A path as people write it: `models.smart[1]`, `models['gpt-4.1']`. */
export function pathText(path: Path): string {
  return path.length === 0 ? 'the configuration' : optionPathText(path)
}
