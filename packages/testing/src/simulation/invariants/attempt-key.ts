import type { BegunRequest } from '../history.ts'

/** Returns what identifies an attempt of a client in a map: most requests have one only, for which a number is cheapest. */
export function attemptKey({ request, attempt }: Pick<BegunRequest, 'request' | 'attempt'>): number | string {
  return attempt === 0 ? request : `${request}.${attempt}`
}
