/** Returns the code of an error of the system or of a library, such as `ECONNREFUSED`; `undefined` without one. */
export function codeOf(failure: unknown): string | undefined {
  for (let at = failure; at instanceof Error; at = at.cause) {
    const code = 'code' in at ? String(at.code) : ''
    if (/^[A-Z\d_]{3,60}$/.test(code)) return code
  }
  return undefined
}
