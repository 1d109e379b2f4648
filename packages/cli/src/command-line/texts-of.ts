import type { Values } from '../command.ts'

/** The value of an option that takes a text. */
export function textOf(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The values of an option that may be given several times. */
export function textsOf(values: Values, name: string): readonly string[] {
  const value = values[name]
  return Array.isArray(value) ? value.filter(each => typeof each === 'string') : []
}
