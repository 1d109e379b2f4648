/** Tells once that a server cannot be reached, and once that it can again. What a client says may hold a password. */
export function reportConnection(
  server: string,
  log: (text: string) => void,
): { readonly failed: (error: unknown) => void; readonly works: () => void } {
  let isAway = false
  return {
    failed: error => {
      if (isAway) return
      isAway = true
      log(`Cannot reach ${server}${codeOf(error)}. Retrying.`)
    },
    works: () => {
      if (!isAway) return
      isAway = false
      log(`Reconnected to ${server}.`)
    },
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[A-Z0-9_]{3,40}$/.test(code) ? ` (${code})` : ''
}
