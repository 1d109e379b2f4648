import type { SchemaIssue } from './container-schemas.ts'

/** Requires an http or https URL, or a data URL. */
export function urlIssue(url: string): SchemaIssue | undefined {
  if (/^(?:https?:\/\/|data:)/i.test(url)) return undefined
  return {
    reason: 'invalid_value',
    message: path => `Invalid '${path}': expected an http or https URL, or a data URL.`,
  }
}
