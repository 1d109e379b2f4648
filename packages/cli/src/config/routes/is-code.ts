/** Whether an entry was made by code: a route, or a target with its provider. */
export function isCode(value: unknown): boolean {
  if (typeof value === 'function') return true
  if (typeof value !== 'object' || value === null || !('provider' in value)) return false
  const { provider } = value
  return typeof provider === 'object' && provider !== null && 'encode' in provider
}
