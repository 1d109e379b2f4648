import { stringify } from 'yaml'
import type { StarterSection } from './starter-config.ts'

/** A configuration as YAML. */
export function yamlText(sections: readonly StarterSection[]): string {
  return sections
    .map(({ name, comment, value }) => `# ${comment}\n${stringify({ [name]: value }, { lineWidth: 0 })}`)
    .join('\n')
}
