import type { StarterSection } from './starter-config.ts'

/** A configuration as JSON, which has no comments. */
export function jsonText(sections: readonly StarterSection[]): string {
  const value = Object.fromEntries(sections.map(({ name, value }) => [name, value]))
  return `${JSON.stringify(value, null, 2)}\n`
}
